import CLibcrypto
package import SecretMemory

/// SHA-1 and SHA-256 of bytes that arrive in pieces.
@safe package struct RunningDigest: ~Copyable {
    package enum Algorithm: Sendable {
        case sha1
        case sha256
    }

    private let context: OpaquePointer
    private let byteCount: Int

    package init(_ algorithm: Algorithm) {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory left for a digest") }
        unsafe self.context = unsafe context
        switch algorithm {
        case .sha1:
            byteCount = 20
            unsafe EVP_DigestInit_ex(context, EVP_sha1(), nil)
        case .sha256:
            byteCount = 32
            unsafe EVP_DigestInit_ex(context, EVP_sha256(), nil)
        }
    }

    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        unsafe EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    package mutating func update(_ bytes: [UInt8]) {
        unsafe bytes.withUnsafeBytes { unsafe update($0) }
    }

    package consuming func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, written in
            unsafe EVP_DigestFinal_ex(context, buffer.baseAddress, nil)
            written = byteCount
        }
    }

    /// The digest as a secret: for deriving keys.
    package consuming func finishSecret() -> SecretBox {
        unsafe SecretBox(count: byteCount) { output in
            unsafe EVP_DigestFinal_ex(context, output.assumingMemoryBound(to: UInt8.self).baseAddress, nil)
        }
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }
}

package func sha1(_ bytes: [UInt8]) -> [UInt8] {
    var digest = RunningDigest(.sha1)
    digest.update(bytes)
    return digest.finish()
}

package func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var digest = RunningDigest(.sha256)
    digest.update(bytes)
    return digest.finish()
}
