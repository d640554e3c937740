import Foundation
import Testing

/// The log of a process that asked for it in its environment. `Examples/OldCipher` is the process.
@Suite("The log of findings about CommonCrypto")
struct CryptoFindingsLogTests {
    @Test("has a line for each place and kind, however often the place is run, and nothing secret")
    func standardError() throws {
        let (status, output, errors) = try run(["LATCHKEY_CRYPTO_FINDINGS": "stderr"])
        #expect(status == 0 && output.contains("today:"))
        let lines = errors.split(separator: "\n")
        #expect(
            lines.map { $0.split(separator: " ").last } == ["[text-key]", "[short-key]", "[missing-iv]"], "\(errors)")
        #expect(lines.allSatisfy { $0.hasPrefix("latchkey: ") && $0.contains("encryptAsOnceUsual") }, "\(errors)")
        #expect(!errors.contains("hunter2"))
    }

    @Test("goes to the end of a file that only its owner reads")
    func file() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "latchkey-findings-\(UUID())")
        defer { try? FileManager.default.removeItem(at: file) }
        for run in 1...2 {
            let (status, _, errors) = try self.run(["LATCHKEY_CRYPTO_FINDINGS": file.path])
            #expect(status == 0 && errors.isEmpty)
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.split(separator: "\n").count == 3 * run)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("is said to be impossible once, and does not stop the program")
    func noFile() throws {
        let (status, output, errors) = try run(["LATCHKEY_CRYPTO_FINDINGS": "/nonexistent/findings"])
        #expect(status == 0 && output.contains("today:"))
        #expect(errors.split(separator: "\n").count == 1 && errors.contains("/nonexistent/findings"), "\(errors)")
    }

    @Test("goes into no pipe and through no link, and does not wait for a reader of one")
    func noRegularFile() throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "latchkey-findings-\(UUID())")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: directory) }
        let (pipe, link) = (directory.appending(path: "pipe"), directory.appending(path: "link"))
        try #require(mkfifo(pipe.path, 0o600) == 0)
        try FileManager.default.createSymbolicLink(at: link, withDestinationURL: directory.appending(path: "other"))
        for path in [pipe.path, link.path, "/dev/null"] {
            let (status, output, errors) = try run(["LATCHKEY_CRYPTO_FINDINGS": path])
            #expect(status == 0 && output.contains("today:"))
            #expect(errors.split(separator: "\n").count == 1 && errors.contains(path), "\(errors)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["link", "pipe"])
    }

    @Test("tells places of a program without names apart, and none of them is CommonCrypto's")
    func stripped() throws {
        let program = FileManager.default.temporaryDirectory.appending(path: "latchkey-stripped-\(UUID())")
        defer { try? FileManager.default.removeItem(at: program) }
        let whole = try executable("OldCipher")
        let strip = try Process.run(
            URL(fileURLWithPath: "/usr/bin/strip"), arguments: ["-o", program.path, whole.path])
        strip.waitUntilExit()
        try #require(strip.terminationStatus == 0, "strip of the package binutils")
        let (status, _, errors) = try run(["LATCHKEY_CRYPTO_FINDINGS": "stderr"], program)
        #expect(status == 0)
        let lines = errors.split(separator: "\n")
        #expect(
            Set(lines.compactMap { $0.split(separator: " ").last }) == ["[text-key]", "[short-key]", "[missing-iv]"])
        // The same address in the program with names is the function that called.
        let named = try run(["LATCHKEY_CRYPTO_FINDINGS": "stderr"]).2
        for line in lines {
            let address = try #require(line.firstRange(of: #/\+0x[0-9a-f]+/#).map { line[$0] })
            #expect(named.contains("encryptAsOnceUsual") && named.contains(address), "\(line)")
        }
    }

    @Test("is not written unless asked for", arguments: [[:], ["LATCHKEY_CRYPTO_FINDINGS": ""]])
    func silence(_ environment: [String: String]) throws {
        let (status, _, errors) = try run(environment)
        #expect(status == 0 && errors.isEmpty, "\(errors)")
    }

    private func run(_ environment: [String: String], _ file: URL? = nil) throws -> (Int32, String, String) {
        let program = Process()
        program.executableURL = try file ?? executable("OldCipher")
        program.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let (output, errors) = (Pipe(), Pipe())
        program.standardOutput = output
        program.standardError = errors
        try program.run()
        // Both are far below what a pipe takes.
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        let complained = try errors.fileHandleForReading.readToEnd() ?? Data()
        program.waitUntilExit()
        return (
            program.terminationStatus, String(decoding: said, as: UTF8.self),
            String(decoding: complained, as: UTF8.self)
        )
    }

    /// The package manager puts executables and tests beside each other.
    private func executable(_ name: String) throws -> URL {
        var directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        for _ in 0..<4 {
            directory = directory.deletingLastPathComponent()
            let executable = directory.appendingPathComponent(name)
            if FileManager.default.isExecutableFile(atPath: executable.path) { return executable }
        }
        return try #require(nil as URL?, "\(name) is not beside the tests; build the package first")
    }
}
