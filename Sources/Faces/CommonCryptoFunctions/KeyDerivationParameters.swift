import CLatchkeyLibcrypto
import CLatchkeyShims
package import CommonCrypto
package import CommonCryptoSPI
import LatchkeyCryptoMisuse

/// The object behind a `CCKDFParametersRef`. The bytes are the caller's, as long as the parameters exist.
@safe private struct Parameters {
    enum Function {
        case pbkdf2(rounds: UInt32)
        case hkdf, counter, counterOverFixedBytes, ansiX963
    }

    let function: Function
    /// The salt, or the label.
    var salt = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
    /// The context, the fixed bytes, or the shared information.
    var info = unsafe UnsafeRawBufferPointer(start: nil, count: 0)

    func derive(
        _ key: UnsafeRawBufferPointer, _ digest: Digest, into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        switch function {
        case .pbkdf2(let rounds):
            unsafe KeyDerivation.passwordKey(of: key, salt: salt, digest, rounds: rounds, into: output)
        case .hkdf: unsafe KeyDerivation.hkdf(.whole, key, salt: salt, info: info, digest, into: output)
        case .counter:
            unsafe KeyDerivation.counter(key, label: salt, context: info, isFramed: true, digest, into: output)
        case .counterOverFixedBytes:
            unsafe KeyDerivation.counter(key, label: info, context: salt, isFramed: false, digest, into: output)
        case .ansiX963: unsafe KeyDerivation.ansiX963(key, info: info, digest, into: output)
        }
    }
}

/// The caller's bytes; nil for a null pointer with a length, and for impossible lengths.
private func lent(_ start: UnsafeRawPointer?, _ count: Int) -> UnsafeRawBufferPointer? {
    guard count >= 0, unsafe start != nil || count == 0 else { return nil }
    return unsafe UnsafeRawBufferPointer(start: start, count: count)
}

private func give(_ parameters: Parameters, _ reference: UnsafeMutablePointer<CCKDFParametersRef?>?) -> CCStatus {
    guard let reference = unsafe reference else { return .parameter }
    let memory = UnsafeMutablePointer<Parameters>.allocate(capacity: 1)
    unsafe memory.initialize(to: parameters)
    unsafe reference.pointee = OpaquePointer(memory)
    return .success
}

private func taken(_ reference: CCKDFParametersRef?) -> Parameters? {
    guard let reference = unsafe reference else { return nil }
    return unsafe UnsafePointer<Parameters>(reference).pointee
}

@c @implementation
package func CCKDFParametersCreatePbkdf2(
    _ params: UnsafeMutablePointer<CCKDFParametersRef?>!, _ rounds: CUnsignedInt, _ salt: UnsafeRawPointer!,
    _ saltLen: Int
) -> CCStatus {
    guard rounds > 0, let salt = unsafe lent(salt, saltLen) else { return .parameter }
    return unsafe give(Parameters(function: .pbkdf2(rounds: rounds), salt: salt), params)
}

@c @implementation
package func CCKDFParametersCreateHkdf(
    _ params: UnsafeMutablePointer<CCKDFParametersRef?>!, _ salt: UnsafeRawPointer!, _ saltLen: Int,
    _ context: UnsafeRawPointer!, _ contextLen: Int
) -> CCStatus {
    guard let salt = unsafe lent(salt, saltLen), let info = unsafe lent(context, contextLen) else { return .parameter }
    return unsafe give(Parameters(function: .hkdf, salt: salt, info: info), params)
}

@c @implementation
package func CCKDFParametersCreateCtrHmac(
    _ params: UnsafeMutablePointer<CCKDFParametersRef?>!, _ label: UnsafeRawPointer!, _ labelLen: Int,
    _ context: UnsafeRawPointer!, _ contextLen: Int
) -> CCStatus {
    guard let label = unsafe lent(label, labelLen), let info = unsafe lent(context, contextLen) else {
        return .parameter
    }
    return unsafe give(Parameters(function: .counter, salt: label, info: info), params)
}

@c @implementation
package func CCKDFParametersCreateCtrHmacFixed(
    _ params: UnsafeMutablePointer<CCKDFParametersRef?>!, _ context: UnsafeRawPointer!, _ contextLen: Int
) -> CCStatus {
    guard let info = unsafe lent(context, contextLen) else { return .parameter }
    return unsafe give(Parameters(function: .counterOverFixedBytes, info: info), params)
}

@c @implementation
package func CCKDFParametersCreateAnsiX963(
    _ params: UnsafeMutablePointer<CCKDFParametersRef?>!, _ sharedinfo: UnsafeRawPointer!, _ sharedinfoLen: Int
) -> CCStatus {
    guard let info = unsafe lent(sharedinfo, sharedinfoLen) else { return .parameter }
    return unsafe give(Parameters(function: .ansiX963, info: info), params)
}

@c @implementation
package func CCKDFParametersDestroy(_ params: CCKDFParametersRef!) {
    guard let params = unsafe params else { return }
    let memory = unsafe UnsafeMutablePointer<Parameters>(params)
    unsafe lk_wipe(memory, MemoryLayout<Parameters>.size)
    unsafe memory.deallocate()
}

@c @implementation
package func CCDeriveKey(
    _ params: CCKDFParametersRef!, _ digest: CCDigestAlgorithm, _ keyDerivationKey: UnsafeRawPointer!,
    _ keyDerivationKeyLen: Int, _ derivedKey: UnsafeMutableRawPointer!, _ derivedKeyLen: Int
) -> CCStatus {
    guard let parameters = unsafe taken(params), let digest = Digest(number: digest),
        let key = unsafe lent(keyDerivationKey, keyDerivationKeyLen), let derivedKey = unsafe derivedKey,
        derivedKeyLen > 0
    else { return .parameter }
    if unsafe key.isEmpty { guard case .hkdf = parameters.function else { return .parameter } }
    let output = unsafe UnsafeMutableRawBufferPointer(start: derivedKey, count: derivedKeyLen)
    guard unsafe parameters.derive(key, digest, into: output) else { return .parameter }
    // The observer only has names for the digests of CCKeyDerivationPBKDF.
    if CryptoWatch.isOn, case .pbkdf2(let rounds) = parameters.function,
        let function = DerivationUse.PseudoRandomFunction(digest)
    {
        CryptoWatch.derives(
            unsafe DerivationUse(function: function, rounds: rounds, salt: parameters.salt, password: key))
    }
    return .success
}

@c @implementation
package func CCKeyDerivationHMac(
    _ algorithm: CCKDFAlgorithm, _ digest: CCDigestAlgorithm, _ rounds: CUnsignedInt,
    _ keyDerivationKey: UnsafeRawPointer!, _ keyDerivationKeyLen: Int, _ label: UnsafeRawPointer!, _ labelLen: Int,
    _ context: UnsafeRawPointer!, _ contextLen: Int, _ iv: UnsafeRawPointer!, _ ivLen: Int,
    _ salt: UnsafeRawPointer!, _ saltLen: Int, _ derivedKey: UnsafeMutableRawPointer!, _ derivedKeyLen: Int
) -> CCStatus {
    var made: CCKDFParametersRef?
    let status: CCStatus
    switch Int(algorithm) {
    case kCCKDFAlgorithmPBKDF2_HMAC: status = unsafe CCKDFParametersCreatePbkdf2(&made, rounds, salt, saltLen)
    case kCCKDFAlgorithmCTR_HMAC:
        status = unsafe CCKDFParametersCreateCtrHmac(&made, label, labelLen, context, contextLen)
    case kCCKDFAlgorithmCTR_HMAC_FIXED: status = unsafe CCKDFParametersCreateCtrHmacFixed(&made, context, contextLen)
    case kCCKDFAlgorithmHKDF: status = unsafe CCKDFParametersCreateHkdf(&made, salt, saltLen, context, contextLen)
    default: return .unimplemented
    }
    guard status == .success else { return status }
    defer { unsafe CCKDFParametersDestroy(made) }
    return unsafe CCDeriveKey(made, digest, keyDerivationKey, keyDerivationKeyLen, derivedKey, derivedKeyLen)
}

@c @implementation
package func CCHKDFExtract(
    _ params: CCKDFParametersRef!, _ digest: CCDigestAlgorithm, _ keyDerivationKey: UnsafeRawPointer!,
    _ keyDerivationKeyLen: Int, _ prk: UnsafeMutableRawPointer!, _ prkLen: Int
) -> CCStatus {
    guard let parameters = unsafe taken(params), case .hkdf = parameters.function,
        let digest = Digest(number: digest), let key = unsafe lent(keyDerivationKey, keyDerivationKeyLen),
        let prk = unsafe prk, prkLen == digest.byteCount
    else { return .parameter }
    let isDerived = unsafe KeyDerivation.hkdf(
        .extract, key, salt: parameters.salt, info: parameters.info, digest,
        into: UnsafeMutableRawBufferPointer(start: prk, count: prkLen))
    return isDerived ? .success : CCStatus(kCCUnspecifiedError)
}

@c @implementation
package func CCHKDFExpand(
    _ params: CCKDFParametersRef!, _ digest: CCDigestAlgorithm, _ prk: UnsafeRawPointer!, _ prkLen: Int,
    _ derivedKey: UnsafeMutableRawPointer!, _ derivedKeyLen: Int
) -> CCStatus {
    guard let parameters = unsafe taken(params), case .hkdf = parameters.function,
        let digest = Digest(number: digest), let key = unsafe lent(prk, prkLen), prkLen == digest.byteCount,
        let derivedKey = unsafe derivedKey, derivedKeyLen > 0
    else { return .parameter }
    let isDerived = unsafe KeyDerivation.hkdf(
        .expand, key, salt: parameters.salt, info: parameters.info, digest,
        into: UnsafeMutableRawBufferPointer(start: derivedKey, count: derivedKeyLen))
    return isDerived ? .success : CCStatus(kCCUnspecifiedError)
}
