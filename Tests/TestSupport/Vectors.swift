package import Foundation

/// The files below Fixtures/Vectors.
package enum Vectors {
    package static let folder = PackageFolder.file("Fixtures/Vectors")

    package static func wycheproof<File: Decodable>(_ name: String, as type: File.Type = File.self) throws -> File {
        try decoded("wycheproof/\(name)_test.json")
    }

    package static func decoded<File: Decodable>(_ path: String) throws -> File {
        try JSONDecoder().decode(File.self, from: Data(contentsOf: folder.appendingPathComponent(path)))
    }

    /// The result that a vector demands; `acceptable` allows both, but no other output.
    package enum Outcome: String, Decodable, Sendable {
        case valid, invalid, acceptable
    }
}
