package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// HKDF of RFC 5869 with SHA-256, by libcrypto. Input and output stay in locked memory.
package enum HKDFSHA256 {
    /// The longest output: 255 digests.
    package static let byteLimit = 255 * DigestAlgorithm.sha256.byteCount

    /// Derives a key from input that need not be uniform.
    ///
    /// - Parameters:
    ///   - salt: without one, RFC 5869 prescribes zeros.
    ///   - info: names the use of the key, and everything that it is bound to.
    ///   - count: 1 to ``byteLimit``.
    package static func derive(
        _ input: SecretBox, salt: [UInt8] = [], info: [UInt8], count: Int
    ) throws(CryptoFailure) -> SecretBox {
        guard (1...byteLimit).contains(count) else { throw .badLength(found: count) }
        return try unsafe SecretBox(count: count) { output throws(CryptoFailure) in
            let isDerived = unsafe input.withBytes { input in
                unsafe salt.withUnsafeBytes { salt in
                    unsafe info.withUnsafeBytes { unsafe fill(output, input, salt: salt, info: $0) }
                }
            }
            guard isDerived else {
                ERR_clear_error()
                throw .unsupported
            }
        }
    }

    // Set once and never changed: safe in every thread.
    nonisolated(unsafe) private static let implementation: OpaquePointer = {
        Libcrypto.begin()
        guard let implementation = unsafe EVP_KDF_fetch(nil, "HKDF", nil) else {
            preconditionFailure("libcrypto has no HKDF")
        }
        return unsafe implementation
    }()

    private static let digestName: StaticString = "SHA256"

    private static func fill(
        _ output: UnsafeMutableRawBufferPointer, _ input: UnsafeRawBufferPointer, salt: UnsafeRawBufferPointer,
        info: UnsafeRawBufferPointer
    ) -> Bool {
        guard let context = unsafe EVP_KDF_CTX_new(implementation) else { return false }
        defer { unsafe EVP_KDF_CTX_free(context) }
        return unsafe withNames { digest, key, saltName, infoName in
            // libcrypto only reads these parameters. It takes an empty value for a missing one, which means the same.
            var parameters = unsafe [
                OSSL_PARAM_construct_utf8_string(digest, mutable(digestName), 0), octets(key, input),
                octets(saltName, salt), octets(infoName, info), OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_KDF_derive(
                context, output.assumingMemoryBound(to: UInt8.self).baseAddress, output.count, &parameters) == 1
        }
    }

    private static func octets(_ name: UnsafePointer<CChar>, _ bytes: UnsafeRawBufferPointer) -> OSSL_PARAM {
        unsafe OSSL_PARAM_construct_octet_string(
            name, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
    }

    private static func mutable(_ text: StaticString) -> UnsafeMutablePointer<CChar> {
        unsafe UnsafeMutableRawPointer(mutating: text.utf8Start).assumingMemoryBound(to: CChar.self)
    }

    private static func withNames<R>(
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>) -> R
    ) -> R {
        unsafe OSSL_KDF_PARAM_DIGEST.withCString { digest in
            unsafe OSSL_KDF_PARAM_KEY.withCString { key in
                unsafe OSSL_KDF_PARAM_SALT.withCString { salt in
                    unsafe OSSL_KDF_PARAM_INFO.withCString { unsafe body(digest, key, salt, $0) }
                }
            }
        }
    }
}
