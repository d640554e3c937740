import LatchkeyCryptoSuite
package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

extension PrivateKey {
    /// Computes the x-coordinate of the shared point: as many bytes as a coordinate has.
    package func agree(with peer: PublicKey) throws(KeyOperationFailure) -> SecretBox {
        guard case .ellipticCurve(let curve) = publicKey.kind else { throw .unsupported }
        guard peer.kind == publicKey.kind else { throw .badInput(reason: "the other key is on another curve") }
        let shared = unsafe agreeing.withContext { context -> SecretBox? in
            // The peer's point was checked when the key was made.
            guard unsafe EVP_PKEY_derive_set_peer_ex(context, peer.handle.key, 0) == 1 else { return nil }
            var count: Int? = curve.coordinateByteCount
            let secret = unsafe SecretBox(count: curve.coordinateByteCount) { output in
                var written = output.count
                let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                count = unsafe EVP_PKEY_derive(context, start, &written) == 1 ? written : nil
            }
            return count == secret.count ? secret : nil
        }
        guard let shared = shared ?? nil else {
            ERR_clear_error()
            throw .badInput(reason: "libcrypto cannot agree on a secret with this key")
        }
        return shared
    }
}

extension PrivateKeyOperations {
    /// Computes the shared secret of an algorithm (Reference 9.7).
    ///
    /// - Parameters:
    ///   - requestedByteCount: needed by derivations, ignored by the plain exchange.
    ///   - sharedInfo: input of the derivation.
    package func exchange(
        with peer: PublicKey, _ algorithm: ExchangeAlgorithm, requestedByteCount: Int?, sharedInfo: [UInt8] = []
    ) throws(KeyOperationFailure) -> SecretBox {
        guard supports(.exchange(algorithm), for: .exchange) else { throw .unsupported }
        guard let digest = algorithm.derivation else { return try agree(with: peer) }
        guard let requestedByteCount, (1...X963.byteLimit).contains(requestedByteCount) else {
            throw .badInput(reason: "a derivation needs a size of 1 to \(X963.byteLimit) bytes")
        }
        return try X963.derive(
            try agree(with: peer), digest, sharedInfo: sharedInfo, byteCount: requestedByteCount)
    }
}

/// The key derivation of ANSI X9.63 (SEC 1, 3.6.1).
enum X963 {
    static let byteLimit = 1 << 20

    static func derive(
        _ secret: SecretBox, _ digest: DigestAlgorithm, sharedInfo: [UInt8], byteCount: Int
    ) throws(KeyOperationFailure) -> SecretBox {
        var isDerived = false
        let derived = unsafe SecretBox(count: byteCount) { output in
            isDerived = unsafe secret.withBytes { secret in
                unsafe sharedInfo.withUnsafeBytes { unsafe fill(output, secret, digest, $0) }
            }
        }
        guard isDerived else {
            ERR_clear_error()
            throw .badInput(reason: "libcrypto cannot derive a key from this")
        }
        return derived
    }

    // Set once and never changed: safe in every thread.
    nonisolated(unsafe) private static let implementation: OpaquePointer = {
        Libcrypto.begin()
        guard let implementation = unsafe EVP_KDF_fetch(nil, "X963KDF", nil) else {
            preconditionFailure("libcrypto has no X9.63 derivation")
        }
        return unsafe implementation
    }()

    private static func fill(
        _ output: UnsafeMutableRawBufferPointer, _ secret: UnsafeRawBufferPointer, _ digest: DigestAlgorithm,
        _ sharedInfo: UnsafeRawBufferPointer
    ) -> Bool {
        guard let context = unsafe EVP_KDF_CTX_new(implementation) else { return false }
        defer { unsafe EVP_KDF_CTX_free(context) }
        // libcrypto only reads these parameters.
        let name = digest.name
        return unsafe name.withCString { name in
            unsafe withNames { digestName, secretName, infoName in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(digestName, UnsafeMutablePointer(mutating: name), 0),
                    OSSL_PARAM_construct_octet_string(
                        secretName, UnsafeMutableRawPointer(mutating: secret.baseAddress), secret.count),
                    OSSL_PARAM_construct_octet_string(
                        infoName, UnsafeMutableRawPointer(mutating: sharedInfo.baseAddress), sharedInfo.count),
                    OSSL_PARAM_construct_end(),
                ]
                return unsafe EVP_KDF_derive(
                    context, output.assumingMemoryBound(to: UInt8.self).baseAddress, output.count, &parameters) == 1
            }
        }
    }

    private static func withNames<R>(
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>) -> R
    ) -> R {
        unsafe OSSL_KDF_PARAM_DIGEST.withCString { digest in
            unsafe OSSL_KDF_PARAM_SECRET.withCString { secret in
                unsafe OSSL_KDF_PARAM_INFO.withCString { unsafe body(digest, secret, $0) }
            }
        }
    }
}
