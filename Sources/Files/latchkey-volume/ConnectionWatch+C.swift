import Glibc
import LatchkeyPeerIdentity
import LatchkeyVolume

@_implementationOnly import CLatchkeyShims

/// A process beside the one that serves a volume, which ends the volume's connection with the kernel when that one dies.
///
/// When the device locks, the server has the kernel forget content, and a thread of it waits in the kernel for pages that
/// programs are writing: for answers of the server itself. If the server is killed then, that thread can never end. It holds
/// the connection open, and no program that uses the folder can be ended.
struct ConnectionWatch {
    /// The first argument of this process.
    static let argument = "--watch"

    private let process: Int32

    /// Starts the process; called by the first thread, because its end is what the other process hears of. Nil if it cannot be
    /// started.
    init?(_ connection: UInt64, mountedAt folder: String) {
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        guard nothing >= 0 else { return nil }
        defer { close(nothing) }
        let program = "/proc/self/exe"
        let words = [CommandLine.arguments[0], Self.argument, "\(getpid())", "\(connection)", folder]
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var started: pid_t = 0
        guard unsafe lk_spawn(program, &pointers, environ, [nothing, nothing, nothing], 1, &started) == 0 else {
            return nil
        }
        process = started
    }

    /// Ends the process: the server is about to end the connection itself.
    func end() {
        kill(process, SIGKILL)
        while waitpid(process, nil, 0) < 0, errno == EINTR {}
    }

    /// The other process: waits for the death of the server.
    ///
    /// - Parameter words: the arguments behind the first one.
    static func run(_ words: [String]) -> Never {
        OwnProcess.blockEndSignals()
        // A directory that it is in could not be unmounted.
        unsafe chdir("/")
        guard words.count == 3, let server = Int32(words[0]), let number = UInt64(words[1]) else { exit(EXIT_FAILURE) }
        let connection = VolumeConnection(number: number)
        if OwnProcess.endWithParent(server) {
            // Other programs may send the same signal.
            repeat { OwnProcess.waitForEndSignal() } while !isDead(server)
        }
        exit(connection.end(mountedAt: words[2]) ? EXIT_SUCCESS : EXIT_FAILURE)
    }

    /// The kernel reports the end of a thread shortly before it is seen.
    private static func isDead(_ server: Int32) -> Bool {
        for _ in 0..<looks {
            if getppid() != server || VolumeServer.state(ofProcess: server) == .dead { return true }
            usleep(pauseMicroseconds)
        }
        return false
    }

    private static let looks = 100
    private static let pauseMicroseconds: UInt32 = 10_000
}
