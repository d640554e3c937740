import CLibcrypto
package import SecretMemory

/// A private key for ECDSA over P-256. The number stays inside libcrypto, which wipes it when the last owner lets go.
@safe package final class P256PrivateKey: @unchecked Sendable {
    // Sendable because the key is not changed after it was made, and libcrypto counts its users with atomics.
    private let key: OpaquePointer
    /// 65 bytes, X9.63.
    package let publicKey: [UInt8]

    /// Why a text is no usable private key.
    package enum TextFailure: Error, Sendable, Equatable {
        case passphraseNeeded
        /// It is encrypted and does not open: wrong passphrase, or damaged.
        case doesNotOpen
        /// Not PEM, no private key, or damaged.
        case unreadable
        case otherKind
    }

    package static let textLimit = 64 * 1024
    /// PBKDF2 rounds for a new text.
    private static let rounds: Int32 = 600_000

    /// Takes the key over.
    private init(owning key: OpaquePointer, publicKey: [UInt8]) {
        unsafe self.key = unsafe key
        self.publicKey = publicKey
    }

    deinit {
        unsafe EVP_PKEY_free(key)
    }

    /// A new random key.
    package static func generate() -> P256PrivateKey {
        P256.begin()
        guard let key = unsafe P256.newKey(), let publicKey = unsafe publicKey(of: key) else {
            preconditionFailure("libcrypto makes no key of P-256")
        }
        return unsafe P256PrivateKey(owning: key, publicKey: publicKey)
    }

    /// The key of a PEM text, PKCS#8 (encrypted or not) or the older form of OpenSSL.
    package convenience init(pem: SecretBox, passphrase: SecretBox?) throws(TextFailure) {
        guard pem.count <= Self.textLimit else { throw .unreadable }
        P256.begin()
        defer { ERR_clear_error() }
        let question = PassphraseQuestion(answer: passphrase)
        let found = unsafe pem.withBytes { text -> OpaquePointer? in
            let input = unsafe BIO_new_mem_buf(text.baseAddress, Int32(text.count))
            defer { unsafe BIO_free(input) }
            // Without a callback libcrypto would ask at the terminal.
            return unsafe PEM_read_bio_PrivateKey(
                input, nil,
                { buffer, capacity, _, context in
                    guard let context = unsafe context else { return -1 }
                    let question = unsafe Unmanaged<PassphraseQuestion>.fromOpaque(context).takeUnretainedValue()
                    return unsafe question.write(
                        to: UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity)))
                }, Unmanaged.passUnretained(question).toOpaque())
        }
        guard let key = unsafe found else {
            guard question.wasAsked else { throw .unreadable }
            throw passphrase == nil ? .passphraseNeeded : .doesNotOpen
        }
        let isOfCurve = unsafe Self.isOfCurve(key)
        guard isOfCurve, let publicKey = unsafe Self.publicKey(of: key), unsafe Self.isConsistent(key) else {
            unsafe EVP_PKEY_free(key)
            throw isOfCurve ? .unreadable : .otherKind
        }
        unsafe self.init(owning: key, publicKey: publicKey)
    }

    /// The key as PEM PKCS#8; with a passphrase PBES2: PBKDF2 with HMAC-SHA256, AES-256-CBC.
    package func pem(passphrase: SecretBox?) -> SecretBox {
        let output = unsafe BIO_new(BIO_s_secmem())
        let plain = unsafe EVP_PKEY2PKCS8(key)
        defer {
            unsafe PKCS8_PRIV_KEY_INFO_free(plain)
            unsafe BIO_free(output)
        }
        var isWritten = false
        if let passphrase {
            let sealed = unsafe passphrase.withBytes { bytes in
                unsafe PKCS8_encrypt(
                    -1, EVP_aes_256_cbc(), bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count),
                    nil, 0, Self.rounds, plain)
            }
            isWritten = unsafe PEM_write_bio_PKCS8(output, sealed) == 1
            unsafe X509_SIG_free(sealed)
        } else {
            isWritten = unsafe PEM_write_bio_PKCS8_PRIV_KEY_INFO(output, plain) == 1
        }
        var start: UnsafeMutableRawPointer?
        let count = unsafe BIO_ctrl(output, BIO_CTRL_INFO, 0, &start)
        precondition(isWritten && count > 0, "libcrypto writes no key")
        return unsafe SecretBox(copying: UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The signature over SHA-256 of the message, in ASN.1 DER: at most 72 bytes.
    package func sign(_ message: [UInt8]) -> [UInt8] {
        let context = unsafe EVP_MD_CTX_new()
        defer { unsafe EVP_MD_CTX_free(context) }
        var signature = [UInt8](repeating: 0, count: 80)
        var count = signature.count
        let done =
            unsafe EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1
            && EVP_DigestSign(context, &signature, &count, message, message.count) == 1
        precondition(done, "libcrypto signs nothing")
        return Array(signature.prefix(count))
    }

    private static func publicKey(of key: OpaquePointer) -> [UInt8]? {
        guard let x = unsafe coordinate(OSSL_PKEY_PARAM_EC_PUB_X, of: key),
            let y = unsafe coordinate(OSSL_PKEY_PARAM_EC_PUB_Y, of: key)
        else { return nil }
        return [4] + x + y
    }

    private static func coordinate(_ name: String, of key: OpaquePointer) -> [UInt8]? {
        var number: OpaquePointer?
        defer { unsafe BN_free(number) }
        var bytes = [UInt8](repeating: 0, count: 32)
        let done = unsafe EVP_PKEY_get_bn_param(key, name, &number) == 1 && BN_bn2binpad(number, &bytes, 32) == 32
        return done ? bytes : nil
    }

    private static func isOfCurve(_ key: OpaquePointer) -> Bool {
        var name = [CChar](repeating: 0, count: 64)
        var count = 0
        guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC,
            unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1
        else { return false }
        return name.prefix(count).elementsEqual(P256.group.utf8.map { CChar(bitPattern: $0) })
    }

    /// A text can hold a private key and the public key of another one.
    private static func isConsistent(_ key: OpaquePointer) -> Bool {
        let context = unsafe EVP_PKEY_CTX_new(key, nil)
        defer { unsafe EVP_PKEY_CTX_free(context) }
        return unsafe EVP_PKEY_check(context) == 1
    }
}

/// What libcrypto asks while it reads an encrypted key.
private final class PassphraseQuestion {
    private let answer: SecretBox?
    private(set) var wasAsked = false

    init(answer: SecretBox?) {
        self.answer = answer
    }

    /// Copies the answer into libcrypto's buffer, which libcrypto wipes; -1 if there is none.
    func write(to buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        wasAsked = true
        guard let answer, answer.count <= buffer.count else { return -1 }
        unsafe answer.withBytes { unsafe buffer.copyMemory(from: $0) }
        return Int32(answer.count)
    }
}
