import CLatchkeyShims
import Glibc
import LatchkeyDevice
import LatchkeyPeerIdentity

/// Starts the device's enclave if none is running. The enclave outlives the daemon and keeps the lock state.
final class EnclaveStarter: Sendable {
    private let directory: DeviceDirectory
    private let program: ChildProgram
    /// The daemon's options that it passes on to the enclave.
    private let handedOn: [String]
    private let log: ProgramLog

    private static let waitMicroseconds: UInt32 = 2_000
    private static let restartMicroseconds: UInt32 = 50_000
    private static let startCount = 20
    private static let startLimit: Duration = .seconds(30)

    init(_ options: DaemonOptions, log: ProgramLog) throws(IdentityFailure) {
        program = try ChildProgram("latchkey-enclave", of: options.directory)
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
            if program.takeExitStatus() != nil {
                // It may have made way for another enclave: one that a killed daemon started and that does not listen
                // yet, or one that was about to end.
                startsLeft -= 1
                usleep(Self.restartMicroseconds)
                if startsLeft > 0, !isListening { try start() }
            }
            guard startsLeft > 0, clock.now < end else {
                throw DeviceFailure(
                    .unreachable, "The enclave did not start. What it said is in \(program.log).")
            }
            usleep(Self.waitMicroseconds)
        }
    }

    /// Starts the enclave again if it has ended; does not wait for it.
    func startIfGone() {
        guard !isListening, !program.isKnown || program.takeExitStatus() != nil else { return }
        do throws(DeviceFailure) {
            try start()
            log.write("the enclave was gone and is started again; the device is as after a restart")
        } catch {
            log.write("\(error)")
        }
    }

    private var isListening: Bool {
        let descriptor = unsafe lk_socket_connect(directory.enclaveSocket)
        if descriptor >= 0 { close(descriptor) }
        return descriptor >= 0
    }

    private func start() throws(DeviceFailure) {
        try program.start(["--storage", directory.enclave, "--socket", directory.enclaveSocket] + handedOn)
    }
}
