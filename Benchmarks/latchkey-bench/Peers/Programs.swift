import Foundation
import Glibc

/// Programs of the system: found as a shell finds them, and run once.
enum Programs {
    /// Returns the path of a program. A path stays as it is.
    static func path(of program: String) throws -> String {
        guard !program.contains("/") else { return program }
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
        guard let path = folders.map({ $0 + "/" + program }).first(where: { access($0, X_OK) == 0 }) else {
            throw Failure("\(program) is missing")
        }
        return path
    }

    /// Runs a program, and returns what it printed.
    @discardableResult
    static func run(
        _ words: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: try path(of: words[0]))
        process.arguments = Array(words.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput =
            try input.map { try FileHandle(forReadingFrom: URL(fileURLWithPath: $0)) }
            ?? FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure("\(words[0]) ended with \(process.terminationStatus)")
        }
        return text
    }
}
