import LatchkeyCryptoMisuse

/// Reports the input and output of broken digests to the watch of the process.
enum BrokenDigestWatch {
    /// Called before the digest, which may lie over its input.
    static func takes(_ data: UnsafeRawPointer?, _ count: Int, context: UnsafeRawPointer?) {
        guard CryptoWatch.isOn, let data = unsafe data, let context = unsafe context, count > 0 else { return }
        unsafe CryptoWatch.digests(UnsafeRawBufferPointer(start: data, count: count), context: context)
    }

    /// - Parameter result: nil if nothing was digested.
    static func gives(_ digest: BrokenDigest, _ result: UnsafeRawPointer?, context: UnsafeRawPointer?) {
        guard CryptoWatch.isOn, let result = unsafe result, let context = unsafe context else { return }
        let bytes = unsafe UnsafeRawBufferPointer(start: result, count: digest.byteCount)
        unsafe CryptoWatch.digested(DigestUse(digest: digest, result: bytes), context: context)
    }
}

extension BrokenDigest {
    /// Nil for a digest that is not broken.
    init?(_ digest: Digest) {
        switch digest {
        case .md4: self = .md4
        case .md5: self = .md5
        case .sha1: self = .sha1
        case .ripemd160, .sha224, .sha256, .sha384, .sha512: return nil
        }
    }

    fileprivate var byteCount: Int { self == .sha1 ? 20 : 16 }
}
