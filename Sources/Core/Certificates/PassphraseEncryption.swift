import LatchkeyAsymmetricKeys
import LatchkeyEncoding

/// The encryption of a part of a PKCS#12 file, as known from the algorithm before the passphrase is used.
struct PassphraseEncryption {
    /// The cost of deriving the key, in rounds of a digest.
    let rounds: UInt64
    /// True for RC2, RC4 and single DES, which are in libcrypto's legacy provider.
    let isOfOld: Bool

    /// - Parameter algorithm: an `AlgorithmIdentifier` in DER.
    init(algorithm: [UInt8]) throws(CertificateFailure) {
        guard var parts = DERCursor.only(algorithm[...], tag: DERTag.sequence)?.parts,
            let scheme = parts.next(DERTag.objectIdentifier), let parameters = parts.next(DERTag.sequence),
            parts.isAtEnd
        else { throw Self.malformed }
        switch ObjectIdentifiers.dotted(scheme.content) {
        // PKCS#12: RC4 with 128 and 40 bits, 3DES with three and two keys, RC2 with 128 and 40 bits. Key and vector are
        // derived one after the other, the longer key in two pieces.
        case "1.2.840.113549.1.12.1.1", "1.2.840.113549.1.12.1.2", "1.2.840.113549.1.12.1.5", "1.2.840.113549.1.12.1.6":
            isOfOld = true
            rounds = Self.product(try Self.saltAndRounds(parameters), 3)
        case "1.2.840.113549.1.12.1.3", "1.2.840.113549.1.12.1.4":
            isOfOld = false
            rounds = Self.product(try Self.saltAndRounds(parameters), 3)
        // PKCS#5 before version 2: DES and RC2 with MD5 and SHA-1.
        case "1.2.840.113549.1.5.3", "1.2.840.113549.1.5.6", "1.2.840.113549.1.5.10", "1.2.840.113549.1.5.11":
            isOfOld = true
            rounds = try Self.saltAndRounds(parameters)
        case "1.2.840.113549.1.5.13":
            var pair = parameters.parts
            guard let derivation = pair.next(DERTag.sequence), let cipher = pair.next(DERTag.sequence), pair.isAtEnd
            else {
                throw Self.malformed
            }
            isOfOld = try Self.isOfOld(cipher: cipher)
            rounds = try Self.rounds(of: derivation)
        case let other:
            throw .unsupported(what: "encryption \(other)")
        }
    }

    private static let malformed = CertificateFailure.unreadable(reason: "The parameters of an encryption are damaged.")

    private static func saltAndRounds(_ parameters: DERItem) throws(CertificateFailure) -> UInt64 {
        var parts = parameters.parts
        guard parts.next(DERTag.octetString) != nil, let rounds = parts.next(DERTag.integer), parts.isAtEnd else {
            throw malformed
        }
        return try number(rounds)
    }

    private static func isOfOld(cipher: DERItem) throws(CertificateFailure) -> Bool {
        var parts = cipher.parts
        guard let identifier = parts.next(DERTag.objectIdentifier) else { throw malformed }
        switch ObjectIdentifiers.dotted(identifier.content) {
        // AES-CBC with 128, 192 and 256 bits, 3DES-CBC.
        case "2.16.840.1.101.3.4.1.2", "2.16.840.1.101.3.4.1.22", "2.16.840.1.101.3.4.1.42", "1.2.840.113549.3.7":
            return false
        // RC2-CBC, DES-CBC.
        case "1.2.840.113549.3.2", "1.3.14.3.2.7":
            return true
        case let other:
            throw .unsupported(what: "cipher \(other)")
        }
    }

    private static func rounds(of derivation: DERItem) throws(CertificateFailure) -> UInt64 {
        var parts = derivation.parts
        guard let identifier = parts.next(DERTag.objectIdentifier), var parameters = parts.next(DERTag.sequence)?.parts,
            parts.isAtEnd, parameters.next(DERTag.octetString) != nil, let first = parameters.next(DERTag.integer)
        else { throw malformed }
        switch ObjectIdentifiers.dotted(identifier.content) {
        // PBKDF2.
        case "1.2.840.113549.1.5.12":
            _ = parameters.next(DERTag.integer)
            if let function = parameters.next(DERTag.sequence) { try checkDigest(function) }
            guard parameters.isAtEnd else { throw malformed }
            return try number(first)
        // scrypt: cost, block size and lanes. One step of it takes about two rounds.
        case "1.3.6.1.4.1.11591.4.11":
            guard let blockSize = parameters.next(DERTag.integer), let lanes = parameters.next(DERTag.integer) else {
                throw malformed
            }
            let memory = product(try number(first), try number(blockSize))
            guard memory < PasswordEncryption.scryptMemoryLimit else {
                throw .unsupported(what: "scrypt that takes more than 32 MiB of memory")
            }
            return product(product(memory, try number(lanes)), 2)
        case let other:
            throw .unsupported(what: "derivation \(other)")
        }
    }

    /// Accepts HMAC with SHA-1 and with SHA-2.
    private static func checkDigest(_ function: DERItem) throws(CertificateFailure) {
        var parts = function.parts
        guard let identifier = parts.next(DERTag.objectIdentifier) else { throw malformed }
        let name = ObjectIdentifiers.dotted(identifier.content)
        guard (7...13).map({ "1.2.840.113549.2.\($0)" }).contains(name) else {
            throw .unsupported(what: "derivation with \(name)")
        }
    }

    /// Returns a count of at least one; a number that does not fit is above every limit.
    private static func number(_ item: DERItem) throws(CertificateFailure) -> UInt64 {
        guard let first = item.content.first, first < 0x80 else { throw malformed }
        let digits = item.content.drop { $0 == 0 }
        guard !digits.isEmpty else { throw malformed }
        return digits.count > 8 ? .max : digits.reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func product(_ one: UInt64, _ other: UInt64) -> UInt64 {
        let (product, overflows) = one.multipliedReportingOverflow(by: other)
        return overflows ? .max : product
    }
}

/// A limit on the cost of deriving keys from the passphrase for one file: every derivation is charged before it begins.
struct RoundBudget {
    /// Takes seconds, not minutes.
    static let limit: UInt64 = 10_000_000

    private var left: UInt64

    init(_ rounds: UInt64) {
        left = rounds
    }

    mutating func spend(_ rounds: UInt64) throws(CertificateFailure) {
        guard rounds <= left else { throw .tooLarge(what: "rounds") }
        left -= rounds
    }
}
