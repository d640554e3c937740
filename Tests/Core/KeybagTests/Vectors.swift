import Foundation
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Reads the vectors of `Fixtures/Vectors/backup`.
enum BackupVectors {
    static func data(_ name: String) throws -> Data {
        try Data(contentsOf: Vectors.folder.appending(path: "backup/\(name)"))
    }

    static func json<Value: Decodable>(_ name: String, as type: Value.Type) throws -> Value {
        try Vectors.decoded("backup/\(name)")
    }

    static func keybagOfManifest(_ name: String) throws -> [UInt8] {
        let list = try PropertyListSerialization.propertyList(from: try data(name), format: nil)
        let manifest = try #require(list as? [String: Any])
        return Array(try #require(manifest["BackupKeyBag"] as? Data))
    }
}

/// Bytes written as hexadecimal digits.
struct Hex: Decodable, Sendable {
    let bytes: [UInt8]

    init(_ text: String) throws {
        let digits = Array(text.utf8)
        bytes = try stride(from: 0, to: digits.count, by: 2).map { index in
            let pair = String(decoding: digits[index..<min(index + 2, digits.count)], as: UTF8.self)
            return try #require(UInt8(pair, radix: 16))
        }
    }

    init(from decoder: any Decoder) throws {
        try self.init(try decoder.singleValueContainer().decode(String.self))
    }

    var secret: SecretBox { SecretBox(copying: bytes) }
}

extension SecretBox {
    convenience init(_ text: String) {
        self.init(copying: Array(text.utf8))
    }

    var contents: [UInt8] { withBytes { Array($0) } }
}
