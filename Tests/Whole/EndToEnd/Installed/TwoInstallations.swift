import Foundation
import Glibc
import Testing

/// Two installations of the three programs in directories of their own, and a device that both can use.
final class TwoInstallations {
    private let root: String
    let device: String
    let first: String
    let second: String

    init() throws {
        var template = Array("/tmp/lk-two.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        (device, first, second) = (root + "/device", root + "/debug", root + "/lib")
        for directory in [first, second] {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            // The tool is told by its file: each has its own. The others are looked at by no daemon.
            for name in ["latchkeyd", "latchkey-enclave"] {
                let program = try Installation.program(name).path
                if link(program, directory + "/" + name) != 0 { try Self.copy(program, directory + "/" + name) }
            }
            try Self.copy(try Installation.program("latchkey").path, directory + "/latchkey")
        }
        try #require(chmod(first, 0o755) == 0 && mkdir(device, 0o700) == 0)
    }

    deinit {
        _ = try? self(first, "stop")
        try? FileManager.default.removeItem(atPath: root)
    }

    /// By another process: one that another test starts would inherit a file that is being written, and could keep it
    /// from being run.
    static func copy(_ source: String, _ target: String) throws {
        let copied = try Installation.run(URL(filePath: "/usr/bin/install"), ["-m", "755", source, target])
        try #require(copied.status == 0, "\(copied.errors)")
    }

    /// Runs the `latchkey` of an installation, or another program that is one, on the device.
    func callAsFunction(_ installation: String, _ line: String, input: String = "") throws -> Ending {
        let isDirectory = (try? FileManager.default.contentsOfDirectory(atPath: installation)) != nil
        return try run(
            URL(filePath: isDirectory ? installation + "/latchkey" : installation),
            line.split(separator: " ").map(String.init) + ["--device", device], input: Data(input.utf8))
    }
}
