import LatchkeyAsymmetricKeys
import LatchkeyEncoding
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// Collects keys and certificates from the safes of a PKCS#12 file. Charges each derivation before it begins.
@safe struct SafeReader {
    /// Bags of one file, and safes in safes.
    static let bagLimit = 4096
    static let depthLimit = 8
    /// Each key is checked with arithmetic that takes up to a quarter of a second.
    static let keyLimit = 64

    private(set) var keys: [SafeBag<PrivateKey>] = []
    private(set) var certificates: [SafeBag<Certificate>] = []
    /// The forms that may still be the right one.
    private var passphrases: [PassphraseForm]
    private let provider: LegacyProvider
    private var budget: RoundBudget
    private var bagsLeft = SafeReader.bagLimit

    init(passphrase: SecretBox, provider: LegacyProvider, budget: RoundBudget) {
        self.budget = budget
        passphrases = PassphraseForm.all(of: passphrase)
        self.provider = provider
    }

    /// Checks the file as a whole with each form of the passphrase; the one that matches opens the rest.
    mutating func check(rounds: UInt64, _ isRight: (PassphraseForm) -> Bool) throws(CertificateFailure) {
        _ = try open(rounds: rounds) { isRight($0) ? true : nil }
    }

    private mutating func open<R>(
        rounds: UInt64, _ attempt: (PassphraseForm) -> R?
    ) throws(CertificateFailure) -> R {
        for passphrase in passphrases {
            try budget.spend(rounds)
            guard let opened = attempt(passphrase) else { continue }
            passphrases = [passphrase]
            return opened
        }
        throw .wrongPassphrase
    }

    /// Reads one `ContentInfo` of the file.
    mutating func read(_ safe: UnsafeMutablePointer<PKCS7>) throws(CertificateFailure) {
        switch unsafe OBJ_obj2nid(safe.pointee.type) {
        case NID_pkcs7_data:
            guard let bags = unsafe PKCS12_unpack_p7data(safe) else {
                throw .unreadable(reason: "A safe of the file is damaged.")
            }
            defer { unsafe Self.free(bags) }
            unsafe try read(bags, depth: 1)
        case NID_pkcs7_encrypted:
            guard let encrypted = unsafe safe.pointee.d.encrypted, let content = unsafe encrypted.pointee.enc_data,
                let algorithm = unsafe content.pointee.algorithm, let sealed = unsafe content.pointee.enc_data
            else { throw .unreadable(reason: "An encrypted safe of the file is empty.") }
            let rounds = unsafe try cost(of: algorithm)
            let context = unsafe provider.context
            let bags = unsafe try open(rounds: rounds) { passphrase in
                unsafe passphrase.lend { text, count in
                    unsafe OpaquePointer(
                        PKCS12_item_decrypt_d2i_ex(
                            algorithm, PKCS12_SAFEBAGS_it(), text, count, sealed, 1, context, nil))
                }
            }
            defer { unsafe Self.free(bags) }
            unsafe try read(bags, depth: 1)
        case NID_pkcs7_enveloped:
            throw .unsupported(what: "a safe for the owner of a key, not of a passphrase")
        default:
            throw .unsupported(what: "a safe of another kind")
        }
    }

    private mutating func read(_ bags: OpaquePointer, depth: Int) throws(CertificateFailure) {
        guard depth <= Self.depthLimit else { throw .tooLarge(what: "nesting") }
        for index in 0..<max(unsafe OPENSSL_sk_num(bags), 0) {
            guard bagsLeft > 0 else { throw .tooLarge(what: "bags") }
            bagsLeft -= 1
            guard let bag = unsafe OpaquePointer(OPENSSL_sk_value(bags, index)) else { continue }
            switch unsafe PKCS12_SAFEBAG_get_nid(bag) {
            case NID_keyBag:
                try countKey()
                keys.append(unsafe Self.bag(try Self.key(PKCS12_SAFEBAG_get0_p8inf(bag)), attributesOf: bag))
            case NID_pkcs8ShroudedKeyBag:
                try countKey()
                keys.append(unsafe Self.bag(try openedKey(PKCS12_SAFEBAG_get0_pkcs8(bag)), attributesOf: bag))
            // Certificates other than X.509, revocation lists and passwords are skipped.
            case NID_certBag where unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate:
                certificates.append(unsafe Self.bag(try Self.certificate(bag), attributesOf: bag))
            case NID_safeContentsBag:
                guard let inner = unsafe PKCS12_SAFEBAG_get0_safes(bag) else { continue }
                unsafe try read(inner, depth: depth + 1)
            default:
                continue
            }
        }
    }

    private func countKey() throws(CertificateFailure) {
        guard keys.count < Self.keyLimit else { throw .tooLarge(what: "keys") }
    }

    private func cost(of algorithm: UnsafePointer<X509_ALGOR>) throws(CertificateFailure) -> UInt64 {
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = unsafe i2d_X509_ALGOR(algorithm, &bytes)
        defer { unsafe CRYPTO_free(bytes, #fileID, #line) }
        let encryption = try PassphraseEncryption(
            algorithm: unsafe [UInt8](UnsafeBufferPointer(start: bytes, count: Int(max(count, 0)))))
        guard !encryption.isOfOld || provider.isComplete else {
            throw .unsupported(
                what: "encryption with RC2, RC4 or DES: libcrypto's module \"legacy\" is missing")
        }
        return encryption.rounds
    }

    private mutating func openedKey(_ sealed: OpaquePointer?) throws(CertificateFailure) -> PrivateKey {
        var algorithm: UnsafePointer<X509_ALGOR>?
        guard let sealed = unsafe sealed else { throw .unreadable(reason: "A bag for a key is empty.") }
        unsafe X509_SIG_get0(sealed, &algorithm, nil)
        guard let algorithm = unsafe algorithm else { throw .unreadable(reason: "A bag for a key is empty.") }
        let rounds = unsafe try cost(of: algorithm)
        let context = unsafe provider.context
        let opened = unsafe try open(rounds: rounds) { passphrase in
            unsafe passphrase.lend { text, count in unsafe PKCS8_decrypt_ex(sealed, text, count, context, nil) }
        }
        // libcrypto wipes the key in it.
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(opened) }
        return try unsafe Self.key(opened)
    }

    private static func key(_ information: OpaquePointer?) throws(CertificateFailure) -> PrivateKey {
        let count = unsafe information.map { unsafe Int(i2d_PKCS8_PRIV_KEY_INFO($0, nil)) } ?? 0
        guard count > 0 else { throw .unreadable(reason: "A bag for a key is empty.") }
        let der = unsafe SecretBox(count: count) { output in
            var place = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
            unsafe i2d_PKCS8_PRIV_KEY_INFO(information, &place)
        }
        do throws(KeyFailure) {
            return try PrivateKey(encoded: der, passphrase: nil)
        } catch .unsupported(let what) {
            throw .unsupported(what: what)
        } catch .unreadable(let reason) {
            throw .unreadable(reason: reason)
        } catch {
            throw .unreadable(reason: "A key of the file is encrypted twice.")
        }
    }

    private static func certificate(_ bag: OpaquePointer) throws(CertificateFailure) -> Certificate {
        let x509 = unsafe PKCS12_SAFEBAG_get1_cert(bag)
        defer { unsafe X509_free(x509) }
        guard let x509 = unsafe x509 else { throw .unreadable(reason: "A certificate of the file is damaged.") }
        return try Certificate(der: unsafe Certificate.der(of: x509))
    }

    private static func bag<Content>(_ content: Content, attributesOf bag: OpaquePointer) -> SafeBag<Content> {
        let name = unsafe attribute(NID_friendlyName, V_ASN1_BMPSTRING, of: bag)
        return SafeBag(
            content: content, label: name.flatMap { DERText.string(bmp: $0[...]) },
            keyIdentifier: unsafe attribute(NID_localKeyID, V_ASN1_OCTET_STRING, of: bag))
    }

    private static func attribute(_ identifier: Int32, _ type: Int32, of bag: OpaquePointer) -> [UInt8]? {
        guard let found = unsafe PKCS12_SAFEBAG_get0_attr(bag, identifier), unsafe found.pointee.type == type,
            let string = unsafe found.pointee.value.asn1_string
        else { return nil }
        return unsafe [UInt8](
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }

    private static func free(_ bags: OpaquePointer) {
        unsafe OPENSSL_sk_pop_free(bags) { unsafe PKCS12_SAFEBAG_free(OpaquePointer($0)) }
    }
}
