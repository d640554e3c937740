import Foundation
import LatchkeyCryptoSuite
import LatchkeyRNCryptorFormat
import LatchkeySecretMemory
import LatchkeyTestSupport

/// One block of a file of `Fixtures/Vectors/rncryptor`: `key: value` lines.
struct Vector: Sendable {
    private let values: [String: String]

    static func all(_ file: String) throws -> [Vector] {
        let url = PackageFolder.file("Fixtures/Vectors/rncryptor/\(file)")
        return try String(contentsOf: url, encoding: .utf8).components(separatedBy: "\n\n").compactMap { block in
            var values: [String: String] = [:]
            for line in block.split(separator: "\n") where !line.hasPrefix("#") {
                guard let colon = line.firstIndex(of: ":") else { continue }
                values[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            return values.isEmpty ? nil : Vector(values: values)
        }
    }

    var title: String { values["title"] ?? "" }
    var password: String { values["password"] ?? "" }

    func bytes(_ name: String) -> [UInt8] {
        let digits = (values[name] ?? values[name.replacingOccurrences(of: "_hex", with: "_hex:")] ?? "")
            .filter { !$0.isWhitespace }
        return stride(from: 0, to: digits.count, by: 2).compactMap { offset in
            let start = digits.index(digits.startIndex, offsetBy: offset)
            return UInt8(digits[start..<digits.index(start, offsetBy: 2)], radix: 16)
        }
    }

    var keys: MessageKeys {
        get throws {
            try MessageKeys(
                encryption: SecretBox(copying: bytes("enc_key_hex")),
                authentication: SecretBox(copying: bytes("hmac_key_hex")))
        }
    }
}

/// Random bytes that are always the same ones.
struct CountingEntropy: Entropy {
    func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: index &* 7 &+ 3) }
    }
}
