import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyPeerIdentity
import Synchronization

/// Starts the device's enclave if none is running. The enclave outlives the daemon and keeps the lock state.
final class EnclaveStarter: Sendable {
    private let directory: DeviceDirectory
    private let program: String
    /// The daemon's options that it passes on to the enclave.
    private let handedOn: [String]
    private let log: ProgramLog
    /// The enclave started last, if it is a child of this process that has not been reaped.
    private let child = Mutex<pid_t?>(nil)

    private static let programName = "latchkey-enclave"
    private static let waitMicroseconds: UInt32 = 2_000
    private static let restartMicroseconds: UInt32 = 50_000
    private static let startCount = 20
    private static let startLimit: Duration = .seconds(30)

    init(_ options: DaemonOptions, log: ProgramLog) throws(IdentityFailure) {
        let own = try PeerIdentity.ofThisProcess().executable
        let path = own.displayPath
        self.program = path.dropLast(own.name.count) + Self.programName
        directory = options.directory
        handedOn =
            (options.passcodeCost.map { ["--test-only-passcode-cost", String($0)] } ?? [])
            + (options.testSensor.map { ["--test-only-sensor", $0] } ?? [])
        self.log = log
    }

    /// Returns when an enclave listens; starts one if necessary.
    func ensureRunning() throws(DeviceFailure) {
        guard !isListening else { return }
        try start()
        let clock = ContinuousClock()
        let end = clock.now + Self.startLimit
        var startsLeft = Self.startCount
        while !isListening {
            if hasChildEnded() {
                // It may have made way for another enclave: one that a killed daemon started and that does not listen
                // yet, or one that was about to end.
                startsLeft -= 1
                usleep(Self.restartMicroseconds)
                if startsLeft > 0, !isListening { try start() }
            }
            guard startsLeft > 0, clock.now < end else {
                throw DeviceFailure(
                    .unreachable, "The enclave did not start. What it said is in \(logPath).")
            }
            usleep(Self.waitMicroseconds)
        }
    }

    /// Starts the enclave again if it has ended; does not wait for it.
    func startIfGone() {
        guard !isListening, child.withLock({ $0 }) == nil || hasChildEnded() else { return }
        do throws(DeviceFailure) {
            try start()
            log.write("the enclave was gone and is started again; the device is as after a restart")
        } catch {
            log.write("\(error)")
        }
    }

    private var logPath: String { directory.run + "/latchkey-enclave.log" }

    private var isListening: Bool {
        let descriptor = unsafe lk_socket_connect(directory.enclaveSocket)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    private func start() throws(DeviceFailure) {
        let nothing = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        let output = unsafe open(logPath, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        defer {
            if nothing >= 0 { close(nothing) }
            if output >= 0 { close(output) }
        }
        guard nothing >= 0, output >= 0 else {
            throw DeviceFailure(.storage, unsafe "\(logPath) cannot be written: \(String(cString: strerror(errno))).")
        }
        let words = [program, "--storage", directory.enclave, "--socket", directory.enclaveSocket] + handedOn
        let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var identifier: pid_t = 0
        let outcome = unsafe lk_spawn(program, arguments, environ, [nothing, nothing, output], 1, &identifier)
        guard outcome == 0 else {
            throw DeviceFailure(
                .unreachable,
                unsafe "The enclave \(program) cannot be started: \(String(cString: strerror(-outcome))). "
                    + "Install latchkey-enclave beside latchkeyd.")
        }
        child.withLock { $0 = identifier }
    }

    /// Reaps the child if it has ended.
    private func hasChildEnded() -> Bool {
        child.withLock { child in
            guard let identifier = child, waitpid(identifier, nil, WNOHANG) != 0 else { return false }
            child = nil
            return true
        }
    }
}
