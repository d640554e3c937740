import Foundation
import Glibc
import Testing

/// A directory in which files are encrypted and decrypted by the real program; gone after the test.
final class FileStage {
    let directory: String
    private let link: ProgramLink

    init(in place: String? = nil) throws {
        link = try ProgramLink()
        var template = Array("\(place ?? "/tmp")/latchkey-files.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try write(Array("correct horse\n".utf8), to: "pw")
        try write(Array("another one\n".utf8), to: "wrong")
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// Runs a line of the shell in the directory; `$L` is the program. The right password is in `pw`.
    @discardableResult
    func callAsFunction(_ line: String, environment: [String: String] = [:]) throws -> Ending {
        try run(
            URL(filePath: "/bin/bash"), ["-c", "set -o pipefail; cd \"$0\" && L=$1; \(line)", directory, link.path],
            environment: environment)
    }

    func write(_ bytes: [UInt8], to name: String) throws {
        try Data(bytes).write(to: URL(filePath: path(name)))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: path(name))))
    }

    func remove(_ name: String) { unlink(path(name)) }
    func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }
    /// Returns the names in the folder, but for the passwords.
    func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: directory)).subtracting(["pw", "wrong"])
    }

    /// Bytes that repeat nowhere near.
    static func bytes(_ count: Int) -> [UInt8] {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        var bytes = [UInt8](repeating: 0, count: count)
        bytes.withUnsafeMutableBytes { room in
            for index in stride(from: 0, to: count, by: 8) {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                withUnsafeBytes(of: state) { room[index...].copyBytes(from: $0.prefix(min(8, count - index))) }
            }
        }
        return bytes
    }
}
