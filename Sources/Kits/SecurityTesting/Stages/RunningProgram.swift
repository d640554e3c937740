import Dispatch
import Foundation
import Glibc

/// A child process that can be waited for. `Process.waitUntilExit` looks only every 50 ms.
final class RunningProgram: Sendable {
    private let process: Process
    private let untilExit = DispatchGroup()
    private let starter = getpid()

    init(starting process: Process) throws {
        self.process = process
        untilExit.enter()
        process.terminationHandler = { [untilExit] _ in untilExit.leave() }
        do {
            try process.run()
        } catch {
            untilExit.leave()
            throw error
        }
        ProcessEnd.add(program: process.processIdentifier)
    }

    var isRunning: Bool { process.isRunning }

    /// False in a forked child of the process that started the program.
    var isOwn: Bool { getpid() == starter }

    /// As a power cut would. Does not wait.
    func kill() {
        guard isOwn else { return }
        if process.isRunning { _ = Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// Kills it and waits until it is gone.
    func end() {
        guard isOwn else { return }
        kill()
        untilExit.wait()
        ProcessEnd.forget(program: process.processIdentifier)
    }
}
