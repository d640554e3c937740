import AsymmetricKeys
import CryptoSuite
import Foundation
import SecretMemory
import Testing

/// Bytes that a vector file holds in hexadecimal.
struct Hex: Codable {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        bytes = try #require(Self.bytes(text))
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes.map { String(format: "%02x", $0) }.joined())
    }

    /// Nil if the text is no hexadecimal of whole bytes.
    private static func bytes(_ text: String) -> [UInt8]? {
        func digit(_ character: UInt8) -> UInt8? {
            switch character {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
            default: nil
            }
        }
        let digits = Array(text.utf8)
        guard digits.count % 2 == 0 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digit(digits[index]), let low = digit(digits[index + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    var secret: SecretBox { SecretBox(copying: bytes) }
}

enum Vectors {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fixtures/Vectors")

    static func wycheproof<File: Decodable>(_ name: String, as type: File.Type = File.self) throws -> File {
        try decoded("wycheproof/\(name)_test.json")
    }

    static func decoded<File: Decodable>(_ path: String) throws -> File {
        try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appendingPathComponent(path)))
    }

    enum Outcome: String, Decodable {
        case valid, invalid, acceptable
    }
}

/// How many cases ended how: compared as a whole, so that no case is lost unseen.
struct Tally: Equatable {
    var accepted = 0
    var refused = 0
    /// Of what was refused: right by the vector, with parameters that no algorithm of ours has.
    var notOurs = 0
}

extension DigestAlgorithm {
    /// By the name that Wycheproof and openssl use: `SHA-256`; nil for digests that no key algorithm has.
    init?(wycheproof name: String) {
        self.init(rawValue: name.replacingOccurrences(of: "SHA-", with: "SHA"))
    }

    /// openssl's name.
    var opensslName: String { name.lowercased() }
}

extension SecretBox {
    /// The bytes, for comparing with a vector.
    var contents: [UInt8] { withBytes { Array($0) } }

    convenience init(text: String) {
        self.init(copying: Array(text.utf8))
    }
}

extension PublicKey {
    func encrypt(
        _ plaintext: [UInt8], _ algorithm: EncryptionAlgorithm, sharedInfo: [UInt8] = [],
        associatedData: [UInt8]? = nil
    ) throws(KeyOperationFailure) -> [UInt8] {
        // The closure's typed throw is lost through `withUnsafeBytes`.
        let outcome = plaintext.withUnsafeBytes { bytes in
            Result { () throws(KeyOperationFailure) in
                try encrypt(bytes, algorithm, sharedInfo: sharedInfo, associatedData: associatedData)
            }
        }
        return try outcome.get()
    }

    /// Whether the signature is right; every other failure than a wrong signature is thrown.
    func accepts(_ signature: [UInt8], over signed: [UInt8], _ algorithm: SignatureAlgorithm) throws -> Bool {
        do throws(KeyOperationFailure) {
            try verify(signature, over: signed, algorithm)
            return true
        } catch {
            guard error == .notSigned else { throw error }
            return false
        }
    }
}
