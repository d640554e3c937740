import Foundation
import SecretMemory
import Testing

/// The openssl command, as somebody else's opinion.
enum OpenSSL {
    /// Standard output of one run; fails the test if openssl fails.
    static func run(_ arguments: [String], input: SecretBox? = nil) throws -> [UInt8] {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["openssl"] + arguments
        let output = Pipe()
        let complaints = Pipe()
        let feed = Pipe()
        program.standardOutput = output
        program.standardError = complaints
        program.standardInput = feed
        try program.run()
        // Less than a pipe holds: nobody waits for anybody.
        try feed.fileHandleForWriting.write(contentsOf: Data(input?.contents ?? []))
        try feed.fileHandleForWriting.close()
        let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
        let said = try complaints.fileHandleForReading.readToEnd() ?? Data()
        program.waitUntilExit()
        try #require(program.terminationStatus == 0, "\(arguments): \(String(decoding: said, as: UTF8.self))")
        return Array(bytes)
    }

    /// Files for openssl to read.
    struct Directory {
        private let url = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-p256-\(UUID())")

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
