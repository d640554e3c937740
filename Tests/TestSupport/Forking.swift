import Foundation

/// Children that `fork` makes of a test's process. The test is one that runs in a process of its own, in which one thread
/// does anything at the time of the `fork`.
package enum Forking {
    /// The way in which a child ended.
    package struct Ending: Equatable, Sendable {
        package let signal: Int32
        package let code: Int32

        package static let success = Ending(signal: 0, code: 0)
        /// By a trap.
        package var isTrap: Bool { [SIGILL, SIGTRAP].contains(signal) }
    }

    /// A line of a child's work that is not so.
    package struct Unexpected: Error, CustomStringConvertible {
        package let description: String
    }

    /// Runs `body` in a child, waits for its end and returns it. A child whose `body` throws says so and ends with 1.
    package static func child(_ body: () throws -> Void) -> Ending {
        ending(of: start(body))
    }

    /// Starts a child; its end is that of ``ending(of:)``.
    package static func start(_ body: () throws -> Void) -> Int32 {
        let child = fork()
        guard child == 0 else { return child }
        do {
            try body()
            _exit(0)
        } catch {
            FileHandle.standardError.write(Data("in the child: \(error)\n".utf8))
            _exit(1)
        }
    }

    package static func ending(of child: Int32) -> Ending {
        var status: Int32 = -1
        guard child > 0, waitpid(child, &status, 0) == child else { return Ending(signal: -1, code: -1) }
        return Ending(signal: status & 0x7F, code: status >> 8 & 0xFF)
    }

    /// Ends the child's work, with the line, if a condition is not met.
    package static func require(_ condition: Bool, line: UInt = #line) throws {
        if !condition { throw Unexpected(description: "line \(line) is not so") }
    }

    /// Hides the line that a trap writes, and the report of the crash.
    package static func silenceStandardError() {
        dup2(open("/dev/null", O_WRONLY), STDERR_FILENO)
    }

    /// Calls `fork`, which Swift hides.
    package static func fork() -> Int32 {
        typealias Fork = @convention(c) () -> Int32
        guard let symbol = dlsym(nil, "fork") else { return -1 }
        return unsafeBitCast(symbol, to: Fork.self)()
    }
}

/// A pipe by which a child and its parent wait for each other.
package struct ForkSignal {
    private let ends: [Int32]

    package init() {
        var made: [Int32] = [-1, -1]
        pipe(&made)
        ends = made
    }

    package func give() { write(ends[1], "x", 1) }

    /// Waits for one ``give()`` of the other process.
    package func wait() {
        var byte: UInt8 = 0
        while read(ends[0], &byte, 1) < 0, errno == EINTR {}
    }
}
