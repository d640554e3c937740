import LatchkeyEncoding
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// `EncryptedPrivateKeyInfo` of PKCS#8.
@safe struct EncryptedKey {
    private let der: UnsafeRawBufferPointer

    /// PBKDF2 rounds for a new text.
    private static let rounds: Int32 = 600_000

    /// Returns true for the encrypted form, which begins with an algorithm instead of a version.
    static func isOne(_ der: UnsafeRawBufferPointer) -> Bool {
        var outer = unsafe KeyDERReader(unsafe der)
        guard let parts = try? outer.nested() else { return false }
        return parts.nextTag == DERTag.sequence
    }

    /// Parses the key; the caller keeps the bytes alive. Refuses a passphrase derivation that costs too much.
    init(_ der: UnsafeRawBufferPointer) throws(KeyFailure) {
        var outer = unsafe KeyDERReader(unsafe der)
        var parts = try outer.nested()
        try outer.end()
        try PasswordEncryption(&parts).judge()
        _ = unsafe try parts.contents(DERTag.octetString)
        try parts.end()
        unsafe self.der = unsafe der
    }

    /// Decrypts to the PKCS#8 form.
    func opened(with passphrase: SecretBox?) throws(KeyFailure) -> SecretBox {
        guard let passphrase else { throw .passphraseNeeded }
        defer { ERR_clear_error() }
        var start = unsafe der.assumingMemoryBound(to: UInt8.self).baseAddress
        guard let sealed = unsafe d2i_X509_SIG(nil, &start, der.count) else {
            throw .unreadable(reason: "libcrypto cannot parse this encrypted key")
        }
        defer { unsafe X509_SIG_free(sealed) }
        let plain = unsafe passphrase.withBytes { bytes in
            unsafe PKCS8_decrypt(sealed, bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count))
        }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(plain) }
        guard let plain = unsafe plain else { throw .wrongPassphrase }
        let count = unsafe Int(i2d_PKCS8_PRIV_KEY_INFO(plain, nil))
        guard count > 0 else { throw .wrongPassphrase }
        return unsafe SecretBox(count: count) { output in
            var place = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            unsafe i2d_PKCS8_PRIV_KEY_INFO(plain, &place)
        }
    }

    /// Encrypts with PBES2: PBKDF2 with HMAC-SHA256, AES-256-CBC.
    static func sealed(_ plain: SecretBox, with passphrase: SecretBox) -> SecretBox {
        let key = unsafe plain.withBytes { bytes in
            var start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            return unsafe d2i_PKCS8_PRIV_KEY_INFO(nil, &start, bytes.count)
        }
        guard let key = unsafe key else { preconditionFailure("libcrypto does not read the PKCS#8 form of a key") }
        let sealed = unsafe passphrase.withBytes { bytes in
            unsafe PKCS8_encrypt(
                -1, EVP_aes_256_cbc(), bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count), nil,
                0, rounds, key)
        }
        defer {
            unsafe PKCS8_PRIV_KEY_INFO_free(key)
            unsafe X509_SIG_free(sealed)
        }
        let count = unsafe Int(i2d_X509_SIG(sealed, nil))
        precondition(count > 0, "libcrypto encrypts no key")
        return unsafe SecretBox(count: count) { output in
            var place = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            unsafe i2d_X509_SIG(sealed, &place)
        }
    }
}
