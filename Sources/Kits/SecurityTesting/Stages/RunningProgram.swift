import Dispatch
import Foundation
import Glibc

/// A child process that can be waited for. `Process.waitUntilExit` looks only every 50 ms.
final class RunningProgram: Sendable {
    private let process: Process
    private let untilExit = DispatchGroup()

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
    }

    var isRunning: Bool { process.isRunning }

    /// As a power cut would. Does not wait.
    func kill() {
        if process.isRunning { _ = Glibc.kill(process.processIdentifier, SIGKILL) }
    }

    /// Kills it and waits until it is gone.
    func end() {
        kill()
        untilExit.wait()
    }
}
