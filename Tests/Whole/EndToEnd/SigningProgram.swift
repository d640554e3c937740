import Foundation
import Glibc
import LatchkeyCodeSignature
import Testing

/// A developer's directory with team keys, programs to sign and a device; nothing outside of it is touched.
final class SigningProgram {
    let directory: String
    private let latchkey: URL

    init() throws {
        latchkey = try Installation.program("latchkey")
        var template = Array("/tmp/latchkey-signing.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Runs `latchkey` with the device and the team keys of this directory.
    @discardableResult
    func callAsFunction(_ arguments: String..., input: String = "") throws -> Ending {
        try run(
            latchkey, arguments + ["--device", path("device")], input: Data(input.utf8),
            environment: ["XDG_DATA_HOME": path("data"), "HOME": directory])
    }

    func path(_ name: String) -> String { directory + "/" + name }

    /// A new team; with the passphrase its key is encrypted.
    func team(passphrase: String? = nil) throws -> String {
        let made =
            if let passphrase {
                try self("team", "create", "--json", input: passphrase + "\n")
            } else {
                try self("team", "create", "--no-passphrase", "--json")
            }
        try #require(made.status == 0, "\(made.errors)")
        return try #require(try made.json()["team"] as? String)
    }

    func keyPath(_ team: String) -> String { path("data/latchkey/teams/\(team).key") }

    /// A copy of a program that has room for a signature.
    func program(_ name: String = "mail") throws -> String {
        try copy(Installation.program("SignedApp").path, name)
    }

    func copy(_ original: String, _ name: String) throws -> String {
        let resolved = URL(filePath: original).resolvingSymlinksInPath().path
        try FileManager.default.copyItem(atPath: resolved, toPath: path(name))
        return path(name)
    }

    func write(_ text: String, _ name: String) throws -> String {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
        return path(name)
    }

    /// Changes one byte of a file.
    func flip(_ file: String, at offset: UInt64) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: file))
        try handle.seek(toOffset: offset)
        let byte = try #require(try handle.read(upToCount: 1)?.first)
        try handle.seek(toOffset: offset)
        try handle.write(contentsOf: [byte ^ 1])
        try handle.close()
    }

    /// Where the signature of a program lies.
    func note(_ file: String) throws -> Range<UInt64> {
        let descriptor = open(file, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        return try #require(try ExecutableImage(descriptor: descriptor).noteRanges.first)
    }
}
