import Foundation
import LatchkeyBackupFormat
import LatchkeyEncoding
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// A whole backup that was made by others, with all that is in it.
struct Sample: Sendable, CustomTestStringConvertible {
    let kind: String
    let expected: Expected

    static let all = ["encrypted", "unencrypted"].map(Sample.init)

    init(_ kind: String) {
        self.kind = kind
        do {
            expected = try Vectors.decoded("backup/sample-\(kind)/expected.json")
        } catch {
            preconditionFailure("the sample \(kind) is not readable: \(error)")
        }
    }

    var testDescription: String { kind }
    var path: String { Vectors.folder.appendingPathComponent("backup/sample-\(kind)/\(expected.udid)").path }

    func opened() throws -> OpenedBackup {
        try OpenedBackup.opened(
            BackupFolder.find(path), password: SecretBox(copying: Array((expected.password ?? "").utf8))
        ).backup
    }

    struct Expected: Decodable, Sendable {
        struct File: Decodable, Sendable {
            let domain, path, fileID, sha256: String
            let `class`: Int
            let size: Int64
            let fileKey: String?
        }

        struct Directory: Decodable, Sendable {
            let domain, path: String
        }

        struct Link: Decodable, Sendable {
            let domain, path, target: String
        }

        struct Item: Decodable, Sendable {
            let table, v_Data, v_PersistentRef, plaintextDER: String
            let bulkKey: String
            let `class`: Int
            let attributes: [String: Value]
            let binaryAttributes, dateAttributes: [String]

            enum Value: Decodable, Sendable {
                case text(String)
                case number(Int64)

                init(from decoder: any Decoder) throws {
                    let container = try decoder.singleValueContainer()
                    if let number = try? container.decode(Int64.self) {
                        self = .number(number)
                    } else {
                        self = .text(try container.decode(String.self))
                    }
                }
            }

            /// The attributes by name, with the secret as `v_Data`.
            func values() throws -> [String: PropertyValue] {
                var values: [String: PropertyValue] = [:]
                for (name, value) in attributes {
                    switch value {
                    case .number(let number): values[name] = .integer(number)
                    case .text(let text) where binaryAttributes.contains(name):
                        values[name] = .data(try #require([UInt8](hexDigits: text)))
                    case .text(let text) where dateAttributes.contains(name):
                        values[name] = .date(try Date(text, strategy: .iso8601).timeIntervalSinceReferenceDate)
                    case .text(let text): values[name] = .string(text)
                    }
                }
                return values
            }
        }

        let udid: String
        let password: String?
        let key835: String
        let classKeys: [String: String]
        let manifestKey: String?
        let manifestKeyClass: Int?
        let files: [File]
        let directories: [Directory]
        let symlinks: [Link]
        let keychain: [Item]
    }
}

/// A directory that is removed with its owner.
final class Folder: Sendable {
    let path: String

    init() {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            preconditionFailure("no directory for a test: \(error)")
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }
}

extension [UInt8] {
    var hex: String { Hexadecimal.text(self) }

    init?(hexDigits text: String) {
        guard let bytes = Hexadecimal.bytes(from: text.utf8) else { return nil }
        self = bytes
    }
}
