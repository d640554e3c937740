import Foundation
import Glibc
import LatchkeyThreading

/// The end of a process with virtual devices still in use: removes their directories and backups, and ends the programs of
/// their backends.
///
/// Each belongs to the process that made it. A forked child has copies of the objects, and removes nothing.
enum ProcessEnd {
    private struct Rest {
        /// Directories and the process that made them.
        var directories: [String: pid_t] = [:]
        /// Programs and the process that started them.
        var programs: [pid_t: pid_t] = [:]
    }

    private static let rest = ForkMutex(Rest())
    private static let attemptLimit = 3

    /// Registered once in a process; a forked child inherits the registration.
    private static let isWatched: Bool = atexit { ProcessEnd.clear() } == 0

    /// Removes the directory when this process ends.
    static func add(directory: String) {
        _ = isWatched
        rest.withLock { $0.directories[directory] = getpid() }
    }

    static func forget(directory: String) { rest.withLock { $0.directories[directory] = nil } }

    /// Kills the program when this process ends.
    static func add(program: pid_t) {
        _ = isWatched
        rest.withLock { $0.programs[program] = getpid() }
    }

    static func forget(program: pid_t) { rest.withLock { $0.programs[program] = nil } }

    private static func clear() {
        let own = getpid()
        // A thread that ends the process while another one holds the lock must not wait: it may never be given back.
        let left = rest.withLockIfAvailable { rest in
            defer { rest = Rest() }
            return rest
        }
        guard let left else { return }
        let programs = left.programs.filter { $0.value == own }.keys
        for program in programs { kill(program, SIGKILL) }
        for program in programs {
            // Waits until it writes nothing more. Foundation may have reaped it already.
            var information = unsafe siginfo_t()
            _ = unsafe waitid(P_PID, id_t(program), &information, WEXITED | WNOWAIT)
        }
        for directory in left.directories.filter({ $0.value == own }).keys {
            // Threads of this process may still write there.
            for _ in 0..<attemptLimit where FileManager.default.fileExists(atPath: directory) {
                try? FileManager.default.removeItem(atPath: directory)
            }
        }
    }
}
