import Foundation
import Glibc
import Testing

/// A process that is stopped for a while, with each of its threads: the signal alone only asks for that, and on a busy
/// machine a thread would still take a connection.
enum StandingProcess {
    /// Runs `body` while the process stands.
    static func run<R>(_ process: Int32, _ body: () throws -> R) throws -> R {
        try #require(kill(process, SIGSTOP) == 0)
        defer { kill(process, SIGCONT) }
        let threads = "/proc/\(process)/task"
        while try !FileManager.default.contentsOfDirectory(atPath: threads).allSatisfy({
            hasStopped("\(threads)/\($0)")
        }) {
            usleep(1000)
        }
        return try body()
    }

    /// Returns true if the thread with this directory of `/proc` stands, or has ended.
    private static func hasStopped(_ thread: String) -> Bool {
        guard let line = try? String(contentsOfFile: thread + "/stat", encoding: .utf8) else { return true }
        // The name before the state may contain anything, also parentheses.
        guard let name = line.lastIndex(of: ")") else { return false }
        return "TtZX".contains(line[name...].dropFirst(2).first ?? " ")
    }
}
