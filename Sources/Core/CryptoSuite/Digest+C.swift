package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// A digest of bytes that arrive in pieces.
@safe package struct RunningDigest: ~Copyable {
    private let context: OpaquePointer
    private let byteCount: Int

    package init(_ algorithm: DigestAlgorithm) {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory left for a digest") }
        unsafe self.context = unsafe context
        byteCount = algorithm.byteCount
        unsafe EVP_DigestInit_ex2(context, algorithm.implementation, nil)
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

    /// Returns the digest as a secret: for deriving keys.
    package consuming func finishSecret() -> SecretBox {
        unsafe SecretBox(count: byteCount) { output in
            unsafe EVP_DigestFinal_ex(context, output.assumingMemoryBound(to: UInt8.self).baseAddress, nil)
        }
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }
}

extension DigestAlgorithm {
    package func digest(of bytes: [UInt8]) -> [UInt8] {
        var digest = RunningDigest(self)
        digest.update(bytes)
        return digest.finish()
    }

    /// libcrypto's own object, which lives as long as the process. Looking it up takes longer than a short digest.
    package var implementation: OpaquePointer {
        switch self {
        case .md5: unsafe Self.implementations.md5
        case .sha1: unsafe Self.implementations.sha1
        case .sha224: unsafe Self.implementations.sha224
        case .sha256: unsafe Self.implementations.sha256
        case .sha384: unsafe Self.implementations.sha384
        case .sha512: unsafe Self.implementations.sha512
        }
    }

    // Set once and never changed: safe in every thread.
    nonisolated(unsafe) private static let implementations = unsafe (
        md5: fetch(.md5), sha1: fetch(.sha1), sha224: fetch(.sha224), sha256: fetch(.sha256), sha384: fetch(.sha384),
        sha512: fetch(.sha512)
    )

    private static func fetch(_ algorithm: DigestAlgorithm) -> OpaquePointer {
        guard let implementation = unsafe EVP_MD_fetch(nil, algorithm.name, nil) else {
            preconditionFailure("libcrypto has no \(algorithm.name)")
        }
        return unsafe implementation
    }
}

package func sha1(_ bytes: [UInt8]) -> [UInt8] {
    DigestAlgorithm.sha1.digest(of: bytes)
}

package func sha256(_ bytes: [UInt8]) -> [UInt8] {
    DigestAlgorithm.sha256.digest(of: bytes)
}
