import CLatchkeyShims
import Foundation
import Glibc
import Testing

/// A program that ends with the test, however that ends: a shell waits for the end of a pipe that the test holds.
final class ChildProcess {
    private let supervisor: pid_t
    /// Its end ends the program.
    private var lifeline: Int32
    /// The program's output.
    private let output: Int32
    private var isReaped = false

    private static let script = """
        "$@" </dev/null 3>&- &
        child=$!
        # The program may end first; then nobody waits for the pipe any more.
        { cat >/dev/null; kill -KILL $child; } 2>/dev/null <&3 &
        wait $child 2>/dev/null
        status=$?
        kill $! 2>/dev/null
        exit $status
        """

    /// - Parameter words: the program's path and its arguments.
    init(_ words: [String], package: String, environment: [String: String] = [:]) throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: words[0]), "\(words[0]) is missing: apt-get install \(package)"
        )
        var (life, out): ([Int32], [Int32]) = ([0, 0], [0, 0])
        let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        try #require(socketpair(AF_UNIX, kind, 0, &life) == 0 && socketpair(AF_UNIX, kind, 0, &out) == 0)
        defer { [life[0], out[1]].forEach { close($0) } }
        (lifeline, output) = (life[1], out[0])
        var arguments: [UnsafeMutablePointer<CChar>?] =
            (["/bin/bash", "--norc", "-c", "exec 3<&0; " + Self.script, "bash"] + words).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] =
            environment.merging(["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]) { old, _ in old }
            .map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + variables).forEach { free($0) } }
        var number: pid_t = 0
        let outcome = lk_spawn("/bin/bash", &arguments, &variables, [life[0], out[1], out[1]], 1, &number)
        supervisor = number
        try #require(outcome == 0)
    }

    deinit {
        kill()
        close(output)
    }

    /// SIGKILL, and waits until it is gone.
    func kill() {
        if lifeline >= 0 { close(lifeline) }
        lifeline = -1
        _ = wait()
    }

    /// Waits until it ends by itself; its exit status.
    @discardableResult
    func wait() -> Int32 {
        guard !isReaped else { return -1 }
        isReaped = true
        var status: Int32 = 0
        while waitpid(supervisor, &status, 0) < 0, errno == EINTR {}
        return (status >> 8) & 0xFF
    }

    /// The next line of what it writes; what there is if it ends before.
    func line() -> String {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1, byte != 10 { bytes.append(byte) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Everything that it wrote, once it ended.
    func rest() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(output, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer[..<count]
        }
    }

    /// Sends a signal to the program itself, which runs in the session of its supervisor.
    func signal(_ number: Int32, program: String) throws {
        let sender = try ChildProcess(
            ["/usr/bin/pkill", "-\(number)", "-s", String(supervisor), "-x", program], package: "procps")
        try #require(sender.wait() == 0, "no \(program) in session \(supervisor)")
    }
}
