import CLatchkeyShims
package import CommonCrypto

@c @implementation
package func CCHmacInit(
    _ ctx: UnsafeMutablePointer<CCHmacContext>!, _ algorithm: CCHmacAlgorithm, _ key: UnsafeRawPointer!,
    _ keyLength: Int
) {
    guard let ctx = unsafe ctx else { return }
    unsafe MessageAuthentication.tell(key: key, keyLength)
    MessageAuthentication.withState { state in
        unsafe state.start(Digest(hmac: algorithm), key: key, keyLength)
        unsafe state.store(in: ctx)
    }
}

@c @implementation
package func CCHmacUpdate(
    _ ctx: UnsafeMutablePointer<CCHmacContext>!, _ data: UnsafeRawPointer!, _ dataLength: Int
) {
    guard let ctx = unsafe ctx, dataLength != 0 else { return }
    MessageAuthentication.withState { state in
        unsafe state.load(from: ctx)
        unsafe state.update(data, dataLength, context: ctx)
        unsafe state.store(in: ctx)
    }
}

@c @implementation
package func CCHmacFinal(_ ctx: UnsafeMutablePointer<CCHmacContext>!, _ macOut: UnsafeMutableRawPointer!) {
    guard let ctx = unsafe ctx, let macOut = unsafe macOut else { return }
    MessageAuthentication.withState { state in
        unsafe state.load(from: ctx)
        // Wiped before: the code may lie over it.
        unsafe lk_wipe(ctx, MemoryLayout<CCHmacContext>.size)
        unsafe state.finish(into: macOut, context: ctx)
    }
}

@c @implementation
package func CCHmac(
    _ algorithm: CCHmacAlgorithm, _ key: UnsafeRawPointer!, _ keyLength: Int, _ data: UnsafeRawPointer!,
    _ dataLength: Int, _ macOut: UnsafeMutableRawPointer!
) {
    unsafe MessageAuthentication.code(Digest(hmac: algorithm), key, keyLength, data, dataLength, into: macOut)
}

extension Digest {
    /// Nil for an unknown number.
    init?(hmac algorithm: CCHmacAlgorithm) {
        switch Int(algorithm) {
        case kCCHmacAlgMD5: self = .md5
        case kCCHmacAlgSHA1: self = .sha1
        case kCCHmacAlgSHA224: self = .sha224
        case kCCHmacAlgSHA256: self = .sha256
        case kCCHmacAlgSHA384: self = .sha384
        case kCCHmacAlgSHA512: self = .sha512
        default: return nil
        }
    }
}
