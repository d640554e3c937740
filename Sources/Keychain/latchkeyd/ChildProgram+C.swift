import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyPeerIdentity
import Synchronization

/// A program that is installed beside the daemon and that the daemon runs, one process at a time.
final class ChildProgram: Sendable {
    private let name: String
    private let path: String
    /// The file that gets what the program says.
    let log: String
    /// The process started last, if it is a child of this one that has not been reaped.
    private let child = Mutex<pid_t?>(nil)

    init(_ name: String, of directory: DeviceDirectory) throws(IdentityFailure) {
        let own = try PeerIdentity.ofThisProcess().executable
        self.name = name
        path = own.displayPath.dropLast(own.name.count) + name
        log = directory.run + "/\(name).log"
    }

    /// True if the process started last has not been reaped.
    var isKnown: Bool { child.withLock { $0 } != nil }

    func start(_ options: [String]) throws(DeviceFailure) {
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        let output = unsafe open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        defer {
            if nothing >= 0 { close(nothing) }
            if output >= 0 { close(output) }
        }
        guard nothing >= 0, output >= 0 else {
            throw DeviceFailure(.storage, unsafe "\(log) cannot be written: \(String(cString: strerror(errno))).")
        }
        let arguments = unsafe ([path] + options).map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let outcome = unsafe lk_spawn(
            path, arguments, environ, [nothing, nothing, output], LK_SPAWN_NEW_SESSION, &identifier)
        guard outcome == 0 else {
            throw DeviceFailure(
                .unreachable,
                unsafe "\(path) cannot be started: \(String(cString: strerror(-outcome))). "
                    + "Install \(name) beside latchkeyd.")
        }
        child.withLock { $0 = identifier }
    }

    /// Reaps the process if it has ended, and returns its exit status, or -1 if a signal ended it. Nil while it runs, and if there is none.
    func takeExitStatus() -> Int32? {
        child.withLock { child in
            var status: Int32 = 0
            guard let identifier = child else { return nil }
            let reaped = unsafe waitpid(identifier, &status, WNOHANG)
            guard reaped != 0 else { return nil }
            child = nil
            return reaped > 0 && status & 0x7F == 0 ? (status >> 8) & 0xFF : -1
        }
    }

    /// Ends the process. One that does not end in time is killed, and left to itself if even that takes long: it may wait for a file
    /// system that does not answer.
    func stop() {
        guard let identifier = child.withLock({ $0 }) else { return }
        for signal in [SIGTERM, SIGKILL] {
            kill(identifier, signal)
            for _ in 0..<Self.stopTries {
                if takeExitStatus() != nil { return }
                usleep(Self.stopMicroseconds)
            }
        }
        child.withLock { $0 = nil }
    }

    private static let stopTries = 200
    private static let stopMicroseconds: UInt32 = 10_000
}
