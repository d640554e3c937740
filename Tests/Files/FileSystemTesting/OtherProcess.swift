import Foundation
import LatchkeyTestSupport
import LatchkeyThreading

/// A program that runs beside this one, for rules about two processes.
package final class OtherProcess {
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private let process = Process()
    private let output = Pipe()
    private let name: String

    private init(program: String, _ arguments: [String]) throws {
        name = ([program] + arguments).joined(separator: " ")
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = output
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    package static func start(program: String, _ arguments: [String]) throws -> OtherProcess {
        try OtherProcess(program: program, arguments)
    }

    /// `file-system-check` with a command of ``OtherProcessCommands``.
    static func start(_ stage: RuleStage, _ arguments: [String]) throws -> OtherProcess {
        try OtherProcess(program: stage.otherProcess, arguments)
    }

    /// Returns the output of `file-system-check`, without the line break.
    static func answer(_ stage: RuleStage, _ arguments: [String]) throws -> String {
        try start(stage, arguments).wait()
    }

    /// Waits for the end; throws unless it is a success.
    @discardableResult
    package func wait() throws -> String {
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationReason == .exit, process.terminationStatus == 0 else {
            throw Failure(description: "\(name) ended with \(process.terminationStatus)")
        }
        return String(decoding: text, as: UTF8.self).trimmingCharacters(in: .newlines)
    }
}

/// The faults that several threads found.
final class FailureList: @unchecked Sendable {
    // Sendable because the list is only touched inside of the lock.
    private let condition = WaitCondition()
    private var failures: [String] = []

    func add(_ failure: String) {
        condition.withLock { failures.append(failure) }
    }

    var all: [String] { condition.withLock { failures } }
}

/// Runs `body` on as many threads of its own at once and waits for all.
func onThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    LatchkeyTestSupport.onThreads(count, body)
}
