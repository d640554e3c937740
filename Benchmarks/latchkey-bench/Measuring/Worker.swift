import Foundation
import Glibc

/// A process that waits for commands, one a line, and answers each with how long it took.
final class Worker {
    private let process = Process()
    private let commands = Pipe()
    private let answers = Pipe()
    private var pending = Data()

    /// Starts this program again in a role, or a copy of it.
    init(
        role: [String], processor: String?, environment: [String: String] = [:], program: String? = nil
    ) throws {
        Self.configure(process, program: try program ?? Self.thisProgram(), arguments: role, processor: processor)
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = commands
        process.standardOutput = answers
        try process.run()
    }

    static func configure(_ process: Process, program: String, arguments: [String], processor: String?) {
        guard let processor else {
            process.executableURL = URL(fileURLWithPath: program)
            process.arguments = arguments
            return
        }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/taskset")
        process.arguments = ["-c", processor, program] + arguments
    }

    static func thisProgram() throws -> String {
        var path = [CChar](repeating: 0, count: 4096)
        let count = readlink("/proc/self/exe", &path, path.count - 1)
        guard count > 0 else { throw Failure("cannot tell which program this is") }
        return String(decoding: path[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Seconds the command took, as the worker measured it.
    func seconds(_ command: String) throws -> Double {
        try begin(command)
        return try finish(command)
    }

    /// Gives the command, and does not wait.
    func begin(_ command: String) throws {
        try commands.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
    }

    /// Waits for the answer to the command that was given last.
    func finish(_ command: String) throws -> Double {
        let words = try line().split(separator: " ", maxSplits: 1)
        guard words.first == "done", words.count == 2, let nanoseconds = Double(words[1]) else {
            throw Failure("\(command): \(words.joined(separator: " "))")
        }
        return nanoseconds / 1e9
    }

    /// A word of a command, which may have blanks, as a path has. ``serve(_:)`` gives it back as it was.
    static func word(_ text: String) -> String { text.replacing(" ", with: blank) }

    private static let blank = "\u{1F}"

    private func line() throws -> String {
        while true {
            if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
                defer { pending.removeSubrange(...end) }
                return String(decoding: pending[..<end], as: UTF8.self)
            }
            let more = answers.fileHandleForReading.availableData
            guard !more.isEmpty else { throw Failure("a worker ended before it answered") }
            pending.append(more)
        }
    }

    func stop() {
        try? commands.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Reads commands until the end of the input. The answer to each is the time that `perform` took.
    static func serve(_ perform: ([Substring]) throws -> UInt64) {
        while let line = readLine() {
            let answer: String
            do {
                let words = line.split(separator: " ").map { Substring($0.replacing(blank, with: " ")) }
                answer = "done \(try perform(words))\n"
            } catch {
                answer = "failed \(error)\n"
            }
            FileHandle.standardOutput.write(Data(answer.utf8))
        }
    }
}
