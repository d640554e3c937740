import LatchkeyEncoding

/// The encryption of a key with a passphrase: the parameters of PKCS#5 and PKCS#12 that determine how long it takes.
package struct PasswordEncryption {
    /// For all rounds of derivation together; about ten seconds.
    static let roundLimit: UInt64 = 10_000_000
    /// For scrypt: cost times block size times lanes.
    static let scryptLimit: UInt64 = 1 << 24
    /// For scrypt: cost times block size stays below. libcrypto gives a derivation 32 MiB, 128 bytes for each.
    package static let scryptMemoryLimit: UInt64 = 1 << 18

    enum Derivation {
        case rounds(UInt64)
        case scrypt(cost: UInt64, blockSize: UInt64, lanes: UInt64)
    }

    let derivation: Derivation

    /// Parses the next `AlgorithmIdentifier`.
    init(_ reader: inout KeyDERReader) throws(KeyFailure) {
        var parts = try reader.nested()
        let scheme = unsafe [UInt8](try parts.contents(DERTag.objectIdentifier))
        var parameters = try parts.nested()
        try parts.end()
        switch scheme {
        case Self.pbes2:
            derivation = try Self.derivation(&parameters)
            try Self.checkCipher(&parameters)
        case Self.pbeSHA1TripleDES, Self.pbeSHA1TwoKeyTripleDES:
            _ = unsafe try parameters.contents(DERTag.octetString)
            derivation = .rounds(try parameters.smallNumber())
        default:
            throw .unsupported(what: "this encryption of keys")
        }
        try parameters.end()
    }

    /// Throws if the derivation would take too long or too much memory.
    func judge() throws(KeyFailure) {
        switch derivation {
        case .rounds(let rounds):
            guard (1...Self.roundLimit).contains(rounds) else { throw .unsupported(what: "\(rounds) rounds") }
        case .scrypt(let cost, let blockSize, let lanes):
            let (first, overflows) = cost.multipliedReportingOverflow(by: blockSize)
            let (work, overflowsToo) = first.multipliedReportingOverflow(by: lanes)
            guard !overflows, !overflowsToo, (1...Self.scryptLimit).contains(work), first < Self.scryptMemoryLimit
            else {
                throw .unsupported(what: "scrypt with a cost of \(cost), blocks of \(blockSize), \(lanes) lanes")
            }
        }
    }

    private static func derivation(_ reader: inout KeyDERReader) throws(KeyFailure) -> Derivation {
        var parts = try reader.nested()
        let function = unsafe [UInt8](try parts.contents(DERTag.objectIdentifier))
        var parameters = try parts.nested()
        try parts.end()
        switch function {
        case pbkdf2:
            _ = unsafe try parameters.contents(DERTag.octetString)
            let rounds = try parameters.smallNumber()
            if parameters.nextTag == DERTag.integer { _ = try parameters.smallNumber() }
            if !parameters.isAtEnd { try checkPseudoRandomFunction(&parameters) }
            try parameters.end()
            return .rounds(rounds)
        case scrypt:
            _ = unsafe try parameters.contents(DERTag.octetString)
            let cost = try parameters.smallNumber()
            let blockSize = try parameters.smallNumber()
            let lanes = try parameters.smallNumber()
            if parameters.nextTag == DERTag.integer { _ = try parameters.smallNumber() }
            try parameters.end()
            return .scrypt(cost: cost, blockSize: blockSize, lanes: lanes)
        default:
            throw .unsupported(what: "this derivation of keys from passphrases")
        }
    }

    private static func checkCipher(_ reader: inout KeyDERReader) throws(KeyFailure) {
        var parts = try reader.nested()
        let cipher = unsafe [UInt8](try parts.contents(DERTag.objectIdentifier))
        guard ciphers.contains(cipher) else { throw .unsupported(what: "this cipher for keys") }
    }

    private static func checkPseudoRandomFunction(_ reader: inout KeyDERReader) throws(KeyFailure) {
        var parts = try reader.nested()
        let function = unsafe [UInt8](try parts.contents(DERTag.objectIdentifier))
        guard function.dropLast() == hmacs, let last = function.last, (7...11).contains(last) else {
            throw .unsupported(what: "this derivation of keys from passphrases")
        }
    }

    /// 1.2.840.113549.1.5
    private static let pkcs5: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05]
    private static let pbkdf2 = pkcs5 + [12]
    private static let pbes2 = pkcs5 + [13]
    /// 1.2.840.113549.1.12.1
    private static let pkcs12: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01]
    private static let pbeSHA1TripleDES = pkcs12 + [3]
    private static let pbeSHA1TwoKeyTripleDES = pkcs12 + [4]
    /// 1.3.6.1.4.1.11591.4.11
    private static let scrypt: [UInt8] = [0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B]
    /// 1.2.840.113549.2: HMAC with SHA-1 (7), SHA-224, SHA-256, SHA-384 and SHA-512 (11).
    private static let hmacs: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x02]
    /// 2.16.840.1.101.3.4.1: AES.
    private static let aes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]
    /// AES-CBC with keys of 128, 192 and 256 bits, and triple DES.
    private static let ciphers: Set<[UInt8]> = [
        aes + [2], aes + [22], aes + [42], [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x03, 0x07],
    ]
}
