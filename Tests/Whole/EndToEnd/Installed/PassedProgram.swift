import CLatchkeyShims
import Foundation
import Glibc
import Testing

/// A daemon that is started like by systemd: its listening socket is descriptor 3, its user is another one.
final class PassedProgram {
    /// Under whom it runs, and which capabilities it has.
    struct User {
        let identifier: UInt32
        var capability: String?
    }

    let identifier: pid_t
    private let log: String
    private var status: Int32?

    init(
        _ program: String, _ arguments: [String], descriptor: Int32, count: String = "1", name: String? = nil,
        processID: String = "$$", as user: User? = nil
    ) throws {
        log = "/tmp/latchkey-passed-\(getpid())-\(UInt32.random(in: 0...UInt32.max)).log"
        // The number of the process is known only to itself: the shell becomes the program.
        // It closes what it inherited besides, because pipes of other tests would stay open as long as the daemon.
        let names = name.map { "LISTEN_FDNAMES=\($0) " } ?? ""
        let script = """
            for file in /proc/$$/fd/*; do number=${file##*/}; ((number > 3)) && eval "exec $number>&-"; done
            LISTEN_PID=\(processID) LISTEN_FDS=\(count) \(names)exec "$@"
            """
        var words = ["/bin/bash", "-c", script, "bash"]
        if let user {
            let set = user.capability.map { "-all,+\($0)" } ?? "-all"
            words += [
                "setpriv", "--reuid=\(user.identifier)", "--regid=\(user.identifier)", "--clear-groups",
                "--inh-caps=\(set)", "--ambient-caps=\(set)", "--bounding-set=\(set)",
            ]
        }
        words += [program] + arguments
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        if descriptor >= 0 {
            posix_spawn_file_actions_adddup2(&actions, descriptor, 3)
        } else {
            posix_spawn_file_actions_addclose(&actions, 3)
        }
        var pointers: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/bin:/bin"), nil]
        defer { (pointers + variables).forEach { free($0) } }
        var number: pid_t = 0
        try #require(posix_spawn(&number, words[0], &actions, nil, &pointers, &variables) == 0)
        identifier = number
    }

    deinit {
        if status == nil { stop() }
        unlink(log)
    }

    /// The log of the daemon.
    var said: String { (try? String(contentsOfFile: log, encoding: .utf8)) ?? "" }

    /// Ends it as an administrator would; gives its exit status.
    @discardableResult
    func stop() -> Int32 {
        kill(identifier, SIGTERM)
        return wait()
    }

    /// Waits until it ends by itself.
    func wait() -> Int32 {
        if let status { return status }
        var word: Int32 = 0
        waitpid(identifier, &word, 0)
        let ended = word & 0x7F == 0 ? (word >> 8) & 0xFF : 128 + (word & 0x7F)
        status = ended
        return ended
    }

    /// A field of `/proc/PID/status`, of the process or of each of its threads.
    func field(_ name: String, ofThreads: Bool = false) throws -> [String] {
        let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task")
        let files = ofThreads ? tasks.map { "/proc/\(identifier)/task/\($0)/status" } : ["/proc/\(identifier)/status"]
        return files.compactMap { file in
            (try? String(contentsOfFile: file, encoding: .utf8))?.split(separator: "\n")
                .first { $0.hasPrefix(name + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }
}

/// A socket that was opened for a daemon, with an owner of its own.
final class OpenedSocket {
    let path: String
    let descriptor: Int32

    init(_ path: String, owner: UInt32? = nil, mode: mode_t = 0o600) throws {
        self.path = path
        descriptor = lk_socket_listen(path, 16)
        try #require(descriptor >= 0, "\(path): \(String(cString: strerror(-descriptor)))")
        if let owner { try #require(chown(path, owner, owner) == 0) }
        try #require(chmod(path, mode) == 0)
    }

    deinit {
        close(descriptor)
    }
}

/// Runs `latchkey`, as another user if one is named, and ends it if it takes a minute.
func latchkey(
    _ line: String, at socket: String, as user: UInt32? = nil, input: String = "", program: String? = nil
) throws -> Ending {
    let change = user.map { ["setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"] } ?? []
    let path = try program ?? Installation.program("latchkey").path
    return try run(
        URL(filePath: "/usr/bin/timeout"), ["60"] + change + [path] + line.split(separator: " ").map(String.init),
        input: Data(input.utf8), environment: ["LATCHKEY_DEVICE": "unix:" + socket])
}
