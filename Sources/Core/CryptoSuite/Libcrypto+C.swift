@_implementationOnly import CLatchkeyLibcrypto

/// The global state of libcrypto.
package enum Libcrypto {
    /// Must be called before everything else that concerns keys.
    ///
    /// libcrypto looks for its algorithms and decoders when they are first needed. Threads that do so at the same time
    /// can find only some of them: a text then becomes a legacy key, which does not reveal its public half.
    package static func begin() {
        _ = firstUse
    }

    /// Uses keys and their texts for the first time, in one thread.
    private static let firstUse: Void = {
        let output = unsafe BIO_new(BIO_s_secmem())
        let key = unsafe newKey()
        defer {
            unsafe EVP_PKEY_free(key)
            unsafe BIO_free(output)
            ERR_clear_error()
        }
        var read: OpaquePointer?
        if unsafe PEM_write_bio_PrivateKey(output, key, nil, nil, 0, nil, nil) == 1 {
            unsafe read = unsafe PEM_read_bio_PrivateKey(output, nil, nil, nil)
        }
        defer { unsafe EVP_PKEY_free(read) }
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var (signature, count) = ([UInt8](repeating: 0, count: 80), 80)
        _ =
            unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, read) == 1
            && EVP_DigestSign(context, &signature, &count, [], 0) == 1
    }()

    /// Makes a key of P-256.
    private static func newKey() -> OpaquePointer? {
        var key: OpaquePointer?
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let isMade =
            unsafe EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_group_name(context, "prime256v1") == 1
            && EVP_PKEY_generate(context, &key) == 1
        return isMade ? unsafe key : nil
    }
}
