import CLatchkeyShims
package import CommonCrypto
import CommonCryptoSPI

@c @implementation
package func CCCryptorGCM(
    _ op: CCOperation, _ alg: CCAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ iv: UnsafeRawPointer!,
    _ ivLen: Int, _ aData: UnsafeRawPointer!, _ aDataLen: Int, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!, _ tagOut: UnsafeMutableRawPointer!, _ tagLength: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe withMessage(
        op, alg, key, keyLength, iv, ivLen, aData, aDataLen, dataIn, dataInLength, dataOut
    ) { cryptor in
        unsafe CCCryptorGCMFinal(cryptor, tagOut, tagLength)
    }
}

@c @implementation
package func CCCryptorGCMOneshotEncrypt(
    _ alg: CCAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ iv: UnsafeRawPointer!, _ ivLength: Int,
    _ aData: UnsafeRawPointer!, _ aDataLength: Int, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ cipherOut: UnsafeMutableRawPointer!, _ tagOut: UnsafeMutableRawPointer!, _ tagLength: Int
) -> CCCryptorStatus {
    let refusal = unsafe check(alg, key, keyLength, iv, ivLength, dataInLength, cipherOut, tagOut, tagLength)
    guard refusal == .success else { return refusal }
    return unsafe withMessage(
        CCOperation(kCCEncrypt), alg, key, keyLength, iv, ivLength, aData, aDataLength, dataIn, dataInLength,
        cipherOut ?? tagOut
    ) { cryptor in
        unsafe CCCryptorGCMFinalize(cryptor, tagOut, tagLength)
    }
}

@c @implementation
package func CCCryptorGCMOneshotDecrypt(
    _ alg: CCAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ iv: UnsafeRawPointer!, _ ivLen: Int,
    _ aData: UnsafeRawPointer!, _ aDataLen: Int, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!, _ tagIn: UnsafeRawPointer!, _ tagLength: Int
) -> CCCryptorStatus {
    let refusal = unsafe check(alg, key, keyLength, iv, ivLen, dataInLength, dataOut, tagIn, tagLength)
    guard refusal == .success, let tagIn = unsafe tagIn else { return refusal }
    // The text may lie over the tag: a copy of the original tag is compared.
    var memory = (UInt64(0), UInt64(0))
    let status = unsafe withUnsafeMutableBytes(of: &memory) { tag in
        unsafe tag.copyMemory(from: UnsafeRawBufferPointer(start: tagIn, count: tagLength))
        let tag = tag.baseAddress
        return unsafe withMessage(
            CCOperation(kCCDecrypt), alg, key, keyLength, iv, ivLen, aData, aDataLen, dataIn, dataInLength,
            dataOut ?? tag
        ) { cryptor in
            unsafe CCCryptorGCMFinalize(cryptor, tag, tagLength)
        }
    }
    if status != .success, let dataOut = unsafe dataOut, (1...Cryptor.longestPiece).contains(dataInLength) {
        unsafe lk_wipe(dataOut, dataInLength)
    }
    return status
}

/// Checks the arguments of a message in one call, in the order of Apple's checks.
private func check(
    _ algorithm: CCAlgorithm, _ key: UnsafeRawPointer?, _ keyByteCount: Int, _ iv: UnsafeRawPointer?,
    _ ivByteCount: Int, _ count: Int, _ output: UnsafeMutableRawPointer?, _ tag: UnsafeRawPointer?,
    _ tagByteCount: Int
) -> CCCryptorStatus {
    guard algorithm == CCAlgorithm(kCCAlgorithmAES) else { return .parameter }
    guard CipherAlgorithm.aes.takesKey(ofByteCount: keyByteCount) else { return .keySize }
    guard (GCMEngine.shortestTag...GCMEngine.tagByteCount).contains(tagByteCount),
        UInt(bitPattern: ivByteCount) >= UInt(GCMEngine.shortestVector),
        unsafe key != nil && iv != nil && tag != nil && (count == 0 || output != nil)
    else { return .parameter }
    return .success
}

/// Passes a message through a cryptor that lives as long; a failure of one step is returned.
private func withMessage(
    _ operation: CCOperation, _ algorithm: CCAlgorithm, _ key: UnsafeRawPointer?, _ keyByteCount: Int,
    _ iv: UnsafeRawPointer?, _ ivByteCount: Int, _ associated: UnsafeRawPointer?, _ associatedByteCount: Int,
    _ input: UnsafeRawPointer?, _ count: Int, _ output: UnsafeMutableRawPointer?,
    finish: (CCCryptorRef) -> CCCryptorStatus
) -> CCCryptorStatus {
    var made: CCCryptorRef?
    let status = unsafe CCCryptorCreateWithMode(
        operation, CCMode(kCCModeGCM), algorithm, CCPadding(ccNoPadding), nil, key, keyByteCount, nil, 0, 0, 0, &made)
    guard status == .success, let cryptor = unsafe made else { return status }
    defer { unsafe UnsafeMutablePointer<Cryptor>.release(cryptor) }
    let steps: [() -> CCCryptorStatus] = [
        { unsafe CCCryptorGCMAddIV(cryptor, iv, ivByteCount) },
        { unsafe CCCryptorGCMAddAAD(cryptor, associated, associatedByteCount) },
        { unsafe CCCryptorGCMEncrypt(cryptor, input, count, output) },
    ]
    for step in steps {
        let status = step()
        guard status == .success else { return status }
    }
    return unsafe finish(cryptor)
}
