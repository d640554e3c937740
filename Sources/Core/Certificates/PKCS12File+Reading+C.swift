import LatchkeyEncoding
package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

extension PKCS12File {
    /// Reads a file with modern (PBES2) or legacy (RC2-40, 3DES) encryption. Accepts at most 16 MiB, and derivations
    /// that end in bounded time.
    ///
    /// Accepts a file without a check value, like openssl; then an alteration cannot be detected. Keys go from
    /// libcrypto, which wipes what it decrypted, to memory that is wiped; libcrypto leaves behind copies of keys that
    /// are unencrypted in the file.
    package init(pkcs12: SecretBox, passphrase: SecretBox) throws(CertificateFailure) {
        try self.init(pkcs12: pkcs12, passphrase: passphrase, roundLimit: RoundBudget.limit)
    }

    init(
        pkcs12: SecretBox, passphrase: SecretBox, provider: LegacyProvider = .shared, roundLimit: UInt64
    ) throws(CertificateFailure) {
        guard pkcs12.count <= Self.byteLimit else { throw .tooLarge(what: "file of \(pkcs12.count) bytes") }
        guard passphrase.count <= Self.passphraseLimit else { throw .tooLarge(what: "passphrase") }
        defer { ERR_clear_error() }
        let file = unsafe Self.decoded(pkcs12)
        defer { unsafe PKCS12_free(file) }
        guard let file = unsafe file else { throw .unreadable(reason: "The bytes are not a PKCS#12 file.") }
        var reader = SafeReader(passphrase: passphrase, provider: provider, budget: RoundBudget(roundLimit))
        if unsafe PKCS12_mac_present(file) == 1 {
            let rounds = try unsafe Self.checkRounds(file)
            try reader.check(rounds: rounds) { passphrase in
                unsafe passphrase.lend { text, count in unsafe PKCS12_verify_mac(file, text, count) == 1 }
            }
        }
        ERR_clear_error()
        guard let safes = unsafe PKCS12_unpack_authsafes(file) else { throw Self.failureOfSafes }
        defer { unsafe OPENSSL_sk_pop_free(safes) { unsafe PKCS7_free($0?.assumingMemoryBound(to: PKCS7.self)) } }
        for index in 0..<max(unsafe OPENSSL_sk_num(safes), 0) {
            guard let safe = unsafe OPENSSL_sk_value(safes, index) else { continue }
            try unsafe reader.read(safe.assumingMemoryBound(to: PKCS7.self))
        }
        self.init(keys: reader.keys, certificates: reader.certificates)
    }

    static let passphraseLimit = 64 << 10

    /// Parses the file, which has to fill the bytes.
    private static func decoded(_ bytes: SecretBox) -> OpaquePointer? {
        unsafe bytes.withBytes { bytes in
            let start = unsafe bytes.assumingMemoryBound(to: UInt8.self).baseAddress
            var position = unsafe start
            guard let file = unsafe d2i_PKCS12(nil, &position, bytes.count) else { return nil }
            guard unsafe position == start.map({ unsafe $0 + bytes.count }) else {
                unsafe PKCS12_free(file)
                return nil
            }
            return unsafe file
        }
    }

    /// Returns the cost of the check value.
    private static func checkRounds(_ file: OpaquePointer) throws(CertificateFailure) -> UInt64 {
        var algorithm: UnsafePointer<X509_ALGOR>?
        var number: UnsafePointer<ASN1_INTEGER>?
        unsafe PKCS12_get0_mac(nil, &algorithm, nil, &number, file)
        guard let identifier = unsafe algorithm?.pointee.algorithm,
            unsafe EVP_get_digestbyname(OBJ_nid2sn(OBJ_obj2nid(identifier))) != nil
        else { throw .unsupported(what: "a check value of another kind than of PKCS#12's digests") }
        // The default is one round.
        guard let number = unsafe number else { return 1 }
        var rounds: Int64 = 0
        guard unsafe ASN1_INTEGER_get_int64(&rounds, number) == 1, rounds <= Int32.max else {
            throw .tooLarge(what: "rounds")
        }
        guard rounds > 0 else { throw .unreadable(reason: "The check value has \(rounds) rounds.") }
        return UInt64(rounds)
    }

    private static var failureOfSafes: CertificateFailure {
        let reason = ERR_peek_last_error() & 0x7F_FFFF
        return reason == UInt(PKCS12_R_CONTENT_TYPE_NOT_DATA)
            ? .unsupported(what: "a file that is signed with a key instead of checked with a passphrase")
            : .unreadable(reason: "The safes of the file are damaged.")
    }
}
