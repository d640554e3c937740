import Foundation

/// Programs of the system, run once.
enum Programs {
    /// Runs a program, and returns what it printed.
    @discardableResult
    static func run(
        _ words: [String], input: String? = nil, environment: [String: String] = [:]
    ) throws -> String {
        guard let program = words[0].contains("/") ? words[0] : Peer.path(of: words[0]) else {
            throw Failure("\(words[0]) is missing")
        }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
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
