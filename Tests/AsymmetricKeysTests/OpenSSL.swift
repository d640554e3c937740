import Foundation
import SecretMemory
import Testing

/// Other programs, as somebody else's opinion.
enum Program {
    struct Outcome {
        let status: Int32
        let output: [UInt8]
        let complaints: String
    }

    static func run(_ command: [String], input: [UInt8] = []) throws -> Outcome {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = command
        // Files instead of pipes: nobody waits for anybody.
        let directory = try Directory()
        defer { directory.remove() }
        program.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: directory.file("input", input)))
        let outputs = try ["output", "complaints"].map { try directory.file($0, []) }
        program.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: outputs[0]))
        program.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: outputs[1]))
        try program.run()
        program.waitUntilExit()
        return Outcome(
            status: program.terminationStatus, output: Array(try Data(contentsOf: URL(fileURLWithPath: outputs[0]))),
            complaints: String(decoding: try Data(contentsOf: URL(fileURLWithPath: outputs[1])), as: UTF8.self))
    }

    /// Files for other programs to read.
    struct Directory {
        private let url = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-keys-\(UUID())")

        init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        /// Writes a file; its path.
        func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            let file = url.appendingPathComponent(name)
            try Data(bytes).write(to: file)
            return file.path
        }

        func remove() {
            try? FileManager.default.removeItem(at: url)
        }
    }
}

enum OpenSSL {
    /// Standard output of one run of the openssl command; fails the test if openssl fails.
    static func run(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let outcome = try Program.run(["openssl"] + arguments, input: input)
        try #require(outcome.status == 0, "\(arguments): \(outcome.complaints)")
        return outcome.output
    }
}
