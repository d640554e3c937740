import CLibcrypto

/// ECDSA over NIST P-256 with SHA-256 (FIPS 186-4): the public half.
package enum P256 {
    /// A point in the uncompressed form of X9.63: 04, x, y.
    package static let publicKeyByteCount = 65
    static let group = "prime256v1"
    /// libcrypto's EVP_PKEY_PUBLIC_KEY, a macro that Swift does not see.
    private static let publicKeySelection =
        OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_OTHER_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY

    /// The first use of keys and of their texts, by one thread.
    ///
    /// libcrypto looks for its algorithms and decoders when they are first needed. Threads that do so at the same time
    /// can find fewer than there are: a text then becomes a key of the old kind, which does not tell its public half.
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

    /// Comes before everything else that concerns keys.
    static func begin() {
        _ = firstUse
    }

    /// A new random key, which the caller frees.
    static func newKey() -> OpaquePointer? {
        var key: OpaquePointer?
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        let isMade =
            unsafe EVP_PKEY_keygen_init(context) == 1 && EVP_PKEY_CTX_set_group_name(context, group) == 1
            && EVP_PKEY_generate(context, &key) == 1
        return isMade ? unsafe key : nil
    }

    /// Whether `signature`, in ASN.1 DER, is that of the key's owner over the message. No bytes of a key that are no
    /// point of the curve have a signature.
    package static func isSignature(_ signature: [UInt8], over message: [UInt8], publicKey: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let key = unsafe Self.key(publicKey) else { return false }
        defer { unsafe EVP_PKEY_free(key) }
        guard let context = unsafe EVP_MD_CTX_new() else { return false }
        defer { unsafe EVP_MD_CTX_free(context) }
        return unsafe EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    }

    /// Whether the bytes are a point of the curve.
    package static func isPublicKey(_ bytes: [UInt8]) -> Bool {
        defer { ERR_clear_error() }
        guard let key = unsafe key(bytes) else { return false }
        unsafe EVP_PKEY_free(key)
        return true
    }

    /// Nil unless the bytes are a point of the curve. The caller frees it.
    private static func key(_ bytes: [UInt8]) -> OpaquePointer? {
        guard bytes.count == publicKeyByteCount, bytes[0] == 4 else { return nil }
        begin()
        guard let context = unsafe EVP_PKEY_CTX_new_from_name(nil, "EC", nil) else { return nil }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        var point = bytes
        var key: OpaquePointer?
        // The parameters refer to all four areas; they must live until the key is made.
        let isMade = unsafe OSSL_PKEY_PARAM_GROUP_NAME.withCString { groupName in
            unsafe OSSL_PKEY_PARAM_PUB_KEY.withCString { pointName in
                unsafe point.withUnsafeMutableBytes { point in
                    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: Self.group.utf8.count + 1) { group in
                        _ = unsafe group.initialize(from: Self.group.utf8CString)
                        var parameters = unsafe [
                            OSSL_PARAM_construct_utf8_string(groupName, group.baseAddress, 0),
                            OSSL_PARAM_construct_octet_string(pointName, point.baseAddress, point.count),
                            OSSL_PARAM_construct_end(),
                        ]
                        return unsafe EVP_PKEY_fromdata_init(context) == 1
                            && EVP_PKEY_fromdata(context, &key, publicKeySelection, &parameters) == 1
                    }
                }
            }
        }
        guard isMade, unsafe isOnCurve(key) else {
            unsafe EVP_PKEY_free(key)
            return nil
        }
        return unsafe key
    }

    private static func isOnCurve(_ key: OpaquePointer?) -> Bool {
        guard let context = unsafe EVP_PKEY_CTX_new(key, nil) else { return false }
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_public_check(context) == 1
    }
}
