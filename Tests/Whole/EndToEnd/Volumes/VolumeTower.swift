import Foundation
import Glibc
import Testing

/// A volume in another one, whose server is stopped: then the upper one's waits in the kernel, where it cannot be
/// killed.
final class VolumeTower {
    let lower: MountStage
    let upper: MountStage

    private enum Never: Error { case stuck }

    private static let attempts = 50

    init() throws {
        lower = try MountStage(fileClass: "D")
        upper = try MountStage(isMounted: false, store: lower.path("upper"))
        try upper.create("--class", "A")
    }

    deinit {
        if let number = try? lower.server() { kill(number, SIGCONT) }
        // The lower volume is in use until then.
        _ = try? upper.device(["volume", "unmount", upper.folder])
    }

    /// Kills the upper volume's server until a thread of it stays in the kernel. Then a program waits for the volume,
    /// which was writing.
    ///
    /// - Parameters:
    ///   - begin: called first, when both volumes answer.
    ///   - prepare: called with the server's number when the lower volume does not answer any more.
    ///   - undo: undoes `begin` for another attempt.
    /// - Returns: the program, and the server's number.
    func leaveStuck(
        begin: () throws -> Void = {}, undo: () -> Void = {},
        prepare: (Int32) throws -> Void = { _ in }
    ) throws -> (user: ContentWriter, server: Int32) {
        for _ in 0..<Self.attempts {
            try upper.mount()
            let writer = try ContentWriter(upper.path("file"))
            let (below, server) = (try lower.server(), try upper.server())
            try begin()
            try stop(below) { $0 == "T" }
            try prepare(server)
            try #require(kill(server, SIGKILL) == 0)
            if try isStuck(server) { return (writer, server) }
            try #require(kill(below, SIGCONT) == 0)
            writer.kill()
            try #require(writer.hasEnded(within: 60))
            undo()
        }
        throw Never.stuck
    }

    /// Stops a process; returns when each thread has a state as wanted.
    func stop(_ process: Int32, _ isStopped: (Character) -> Bool) throws {
        try #require(kill(process, SIGSTOP) == 0)
        let hasCome = comes(within: 120) { ProcessStates.threads(process).values.allSatisfy(isStopped) }
        try #require(hasCome, "\(ProcessStates.threads(process))")
    }

    /// Waits until the threads of a killed process have ended, or wait in the kernel. A call that the lower volume's
    /// server has not read yet can be killed.
    private func isStuck(_ server: Int32) throws -> Bool {
        func left() -> [Character] { ProcessStates.threads(server).values.filter { $0 != "Z" && $0 != "X" } }
        if comes(within: 1, { left().isEmpty }) { return false }
        let hasSettled = comes(within: 120) { left().allSatisfy { $0 == "D" } }
        try #require(hasSettled, "\(left())")
        return !left().isEmpty
    }
}
