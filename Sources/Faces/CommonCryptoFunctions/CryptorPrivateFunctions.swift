package import CommonCrypto
package import CommonCryptoSPI

@c @implementation
package func CCCryptorCreateFromDataWithMode(
    _ op: CCOperation, _ mode: CCMode, _ alg: CCAlgorithm, _ padding: CCPadding, _ iv: UnsafeRawPointer!,
    _ key: UnsafeRawPointer!, _ keyLength: Int, _ tweak: UnsafeRawPointer!, _ tweakLength: Int,
    _ numRounds: Int32, _ options: CCModeOptions, _ data: UnsafeRawPointer!, _ dataLength: Int,
    _ cryptorRef: UnsafeMutablePointer<CCCryptorRef?>!, _ dataUsed: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    unsafe createInside(data, dataLength, cryptorRef, dataUsed) { reference in
        unsafe CCCryptorCreateWithMode(
            op, mode, alg, padding, iv, key, keyLength, tweak, tweakLength, numRounds, options, reference)
    }
}

@c @implementation
package func CCCryptorEncryptDataBlock(
    _ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!
) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .parameter }
    return unsafe cryptor.pointee.unit(iv, dataIn, dataInLength, dataOut, isEncrypting: true)
}

@c @implementation
package func CCCryptorDecryptDataBlock(
    _ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int,
    _ dataOut: UnsafeMutableRawPointer!
) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .parameter }
    return unsafe cryptor.pointee.unit(iv, dataIn, dataInLength, dataOut, isEncrypting: false)
}

extension Cryptor {
    /// The largest unit that XTS is defined for, and that libcrypto accepts: 2^20 blocks.
    private static let longestUnit = 1 << 24

    /// Processes a unit of a disk, or whole blocks of ECB and CBC.
    fileprivate mutating func unit(
        _ tweak: UnsafeRawPointer?, _ input: UnsafeRawPointer?, _ count: Int, _ output: UnsafeMutableRawPointer?,
        isEncrypting: Bool
    ) -> CCCryptorStatus {
        guard !choice.mode.isStreaming, unsafe (choice.mode == .xts) == (tweak != nil) else { return .parameter }
        guard count != 0 else { return .success }
        guard let input = unsafe input, let output = unsafe output, (0...Self.longestPiece).contains(count) else {
            return .parameter
        }
        if let tweak = unsafe tweak {
            // A unit has at least one block.
            guard (choice.blockByteCount...Self.longestUnit).contains(count),
                let engine = isEncrypting ? encryption : decryption
            else { return .parameter }
            return unsafe watching(input, count, output, isEncrypting: isEncrypting) { _ in
                unsafe engine.runUnit(input, output, count, tweak: tweak)
            }
        }
        let whole = count / choice.blockByteCount * choice.blockByteCount
        guard open(isEncrypting: isEncrypting) else { return .memory }
        return unsafe watching(input, whole, output, isEncrypting: isEncrypting) { cryptor in
            unsafe isEncrypting
                ? cryptor.encryption?.run(input, output, whole) == true
                : cryptor.decryption?.run(input, output, whole) == true
        }
    }

    /// Reports input and output to the watch of the process.
    private mutating func watching(
        _ input: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer, isEncrypting: Bool,
        _ run: (inout Cryptor) -> Bool
    ) -> CCCryptorStatus {
        let isTold = watched?.turn(isEncrypting: isEncrypting) == true
        if isTold { unsafe watched?.takes(input, count) }
        guard run(&self) else { return .parameter }
        if isTold { unsafe watched?.gives(output, count) }
        return .success
    }
}

@c @implementation
package func CCCryptorReset_binary_compatibility(
    _ cryptorRef: CCCryptorRef!, _ iv: UnsafeRawPointer!
) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .parameter }
    let status = unsafe CCCryptorReset(cryptorRef, iv)
    guard status == .unimplemented else { return status }
    unsafe cryptor.pointee.held.wipe()
    return .success
}

@c @implementation
package func CCCryptorGetIV(_ cryptorRef: CCCryptorRef!, _ iv: UnsafeMutableRawPointer!) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef), let iv = unsafe iv else {
        return .parameter
    }
    let room = unsafe UnsafeMutableRawBufferPointer(start: iv, count: cryptor.pointee.choice.blockByteCount)
    return unsafe cryptor.pointee.readVector(into: room) ? .success : .parameter
}

@c @implementation
package func CCCryptorAddParameter(
    _ cryptorRef: CCCryptorRef!, _ parameter: CCParameter, _ data: UnsafeRawPointer!, _ dataSize: Int
) -> CCCryptorStatus {
    guard let cryptor = unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) else { return .parameter }
    let isGCM = unsafe cryptor.pointee.gcm != nil
    switch Int(parameter) {
    case kCCParameterIV:
        guard isGCM else { return .unimplemented }
        return unsafe CCCryptorGCMAddIV(cryptorRef, data, dataSize) == .success ? .success : .parameter
    case kCCParameterAuthData:
        guard isGCM else { return .unimplemented }
        guard unsafe dataSize == 0 || data != nil else { return .parameter }
        return unsafe CCCryptorGCMAddAAD(cryptorRef, data, dataSize) == .success ? .success : .callSequence
    case kCCMacSize, kCCDataSize: return .unimplemented
    default: return .parameter
    }
}

@c @implementation
package func CCCryptorGetParameter(
    _ cryptorRef: CCCryptorRef!, _ parameter: CCParameter, _ data: UnsafeMutableRawPointer!,
    _ dataSize: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    guard unsafe UnsafeMutablePointer<Cryptor>(of: cryptorRef) != nil else { return .parameter }
    return Int(parameter) == kCCParameterAuthTag ? .unimplemented : .parameter
}
