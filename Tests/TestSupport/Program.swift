import Foundation

/// Other programs, as an independent opinion.
package enum Program {
    package struct Outcome: Sendable {
        package let status: Int32
        package let output: [UInt8]
        package let complaints: String
    }

    /// The path of a program that was built beside the tests.
    package static func built(_ name: String) throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = (own as NSString).deletingLastPathComponent + "/" + name
        guard FileManager.default.isExecutableFile(atPath: path) else { throw CocoaError(.fileNoSuchFile) }
        return path
    }

    /// - Parameters:
    ///   - command: a program, by path or by name, and its arguments.
    ///   - environment: what the program finds beside the environment of the tests.
    package static func run(
        _ command: [String], input: [UInt8] = [], environment: [String: String] = [:]
    ) throws -> Outcome {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = command
        program.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        // Files instead of pipes: neither side waits for the other.
        let directory = try Directory()
        defer { directory.remove() }
        let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: directory.file("input", input)))
        let outputs = try ["output", "complaints"].map { try directory.file($0, []) }
        let targets = try outputs.map { try FileHandle(forWritingTo: URL(fileURLWithPath: $0)) }
        // Foundation keeps the object of a process, and with it what it was given.
        defer { for handle in [source] + targets { try? handle.close() } }
        program.standardInput = source
        program.standardOutput = targets[0]
        program.standardError = targets[1]
        try program.run()
        program.waitUntilExit()
        return Outcome(
            status: program.terminationStatus, output: Array(try Data(contentsOf: URL(fileURLWithPath: outputs[0]))),
            complaints: String(decoding: try Data(contentsOf: URL(fileURLWithPath: outputs[1])), as: UTF8.self))
    }

    /// Files for other programs to read.
    package struct Directory: Sendable {
        private let url = FileManager.default.temporaryDirectory.appendingPathComponent("latchkey-files-\(UUID())")

        package init() throws {
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        }

        /// Writes a file; its path.
        package func file(_ name: String, _ bytes: [UInt8]) throws -> String {
            let file = url.appendingPathComponent(name)
            try Data(bytes).write(to: file)
            return file.path
        }

        package func remove() {
            try? FileManager.default.removeItem(at: url)
        }
    }
}

/// The openssl command.
package enum OpenSSL {
    /// Standard output of one run; throws what it said if it fails.
    package static func run(_ arguments: [String], input: [UInt8] = []) throws -> [UInt8] {
        let outcome = try Program.run(["openssl"] + arguments, input: input)
        guard outcome.status == 0 else {
            throw Failure(
                description: outcome.status == 127
                    ? "openssl is missing (apt-get install openssl)" : "openssl \(arguments): \(outcome.complaints)")
        }
        return outcome.output
    }

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }
}
