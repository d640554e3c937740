import LatchkeyAsymmetricKeys
package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

extension PKCS12File {
    /// For each derivation: key, certificates and check value all allow guessing the passphrase.
    private static let rounds: Int32 = 600_000

    /// Writes a file of one identity with its chain: PBES2 (PBKDF2 with HMAC-SHA256, AES-256-CBC) and a check value
    /// with SHA-256.
    ///
    /// - Throws: `unreadable` if key and certificate do not belong together, `unsupported` for a passphrase with a NUL,
    ///   after which other programs would ignore the rest.
    package static func pkcs12(
        of identity: Identity, chain: [Certificate], passphrase: SecretBox
    ) throws(CertificateFailure) -> SecretBox {
        try pkcs12(of: identity, chain: chain, passphrase: passphrase, rounds: rounds)
    }

    static func pkcs12(
        of identity: Identity, chain: [Certificate], passphrase: SecretBox, rounds: Int32
    ) throws(CertificateFailure) -> SecretBox {
        guard passphrase.count <= passphraseLimit else { throw .tooLarge(what: "passphrase") }
        guard unsafe passphrase.withBytes({ unsafe !$0.contains(0) }) else {
            throw .unsupported(what: "a passphrase with a NUL")
        }
        defer { ERR_clear_error() }
        let terminated = passphrase.appending(SecretBox(copying: [0]), count: 1)
        let key = unsafe libcryptoKey(identity.key)
        let others = unsafe OPENSSL_sk_new_null()
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe OPENSSL_sk_free(others)
        }
        for certificate in chain { _ = unsafe OPENSSL_sk_push(others, UnsafeRawPointer(certificate.x509)) }
        let label = identity.label.flatMap { $0.utf8.contains(0) ? nil : $0 }
        let file = unsafe withExtendedLifetime((identity, chain)) {
            unsafe terminated.withBytes { bytes -> OpaquePointer? in
                let text = unsafe bytes.assumingMemoryBound(to: CChar.self).baseAddress
                guard let file = unsafe create(text, label, key, identity.certificate.x509, others, rounds) else {
                    return nil
                }
                let isChecked = unsafe PKCS12_set_mac(file, text, -1, nil, 0, rounds, EVP_sha256()) == 1
                precondition(isChecked, "libcrypto makes no check value")
                return unsafe file
            }
        }
        defer { unsafe PKCS12_free(file) }
        guard let file = unsafe file else {
            throw .unreadable(reason: "Key and certificate do not belong together.")
        }
        return unsafe encoded(file)
    }

    private static func create(
        _ passphrase: UnsafePointer<CChar>?, _ label: String?, _ key: OpaquePointer?, _ certificate: OpaquePointer,
        _ others: OpaquePointer?, _ rounds: Int32
    ) -> OpaquePointer? {
        unsafe PKCS12_create_ex(
            passphrase, label, key, certificate, others, NID_aes_256_cbc, NID_aes_256_cbc, rounds, -1, 0, nil, nil)
    }

    /// Converts the key; libcrypto wipes its copy when it is freed.
    private static func libcryptoKey(_ key: PrivateKey) -> OpaquePointer? {
        unsafe key.pkcs8(passphrase: nil).withBytes { bytes in
            var start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            let information = unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &start, bytes.count)
            defer { unsafe PKCS8_PRIV_KEY_INFO_free(information) }
            return unsafe information.flatMap { unsafe EVP_PKCS82PKEY($0) }
        }
    }

    private static func encoded(_ file: OpaquePointer) -> SecretBox {
        let count = unsafe Int(i2d_PKCS12(file, nil))
        precondition(count > 0, "libcrypto writes no file")
        return unsafe SecretBox(count: count) { output in
            var place = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            unsafe i2d_PKCS12(file, &place)
        }
    }
}
