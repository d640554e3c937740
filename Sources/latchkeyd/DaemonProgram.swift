import CryptoSuite
import Device
import Glibc
import KeychainService
import LocalTransport
import PeerIdentity

/// The keychain daemon: serves one device to the programs of its user.
@main
enum DaemonProgram {
    static let usage = """
        usage: latchkeyd --device DIR [--accept-declared-callers] [--test-only-passcode-cost LOG2]
        """

    private static let log = ProgramLog(program: "latchkeyd")

    static func main() {
        OwnProcess.beginAsDaemon()
        let options: DaemonOptions
        do throws(ProgramOptions.Failure) {
            options = try DaemonOptions(CommandLine.arguments)
        } catch {
            log.fail("\(error)\n\(usage)")
        }
        do {
            try serve(options)
        } catch {
            log.fail("\(error)")
        }
    }

    /// The order matters: lock, enclave, then confinement, then everything that has threads.
    private static func serve(_ options: DaemonOptions) throws -> Never {
        let directory = options.directory
        try directory.prepare()
        let lock = try DeviceLock(directory, for: .daemon)
        guard let outside = OutsideThread() else { log.fail("the system has no thread left") }
        let starter = try EnclaveStarter(directory: directory, passcodeCost: options.passcodeCost, log: log)
        try starter.ensureRunning()
        let listener = try Listener(path: directory.keychainSocket, inspector: PeerInspector(outside: outside))
        confine(directory)
        let enclave = try enclave(of: directory) { outside.perform { starter.startIfGone() } }
        let service = try KeychainService(
            directory: directory.path, enclave: enclave, clock: SystemClock(), entropy: SystemEntropy(), kind: "daemon")
        enclave.whenKeysChange { service.keysChanged() }
        let server = KeychainServer(
            service: service, listener: listener, acceptsDeclaredCallers: options.acceptsDeclaredCallers, log: log)
        try server.start()
        let processFile = ProcessFile(path: directory.daemonProcessFile)
        processFile.write()
        if options.acceptsDeclaredCallers {
            log.write("accepts declared callers: for devices that hold nothing of value")
        }
        log.write("ready, device \(directory.path)")
        OwnProcess.waitForEndSignal()
        server.stop()
        service.close()
        processFile.remove()
        log.write("stopped")
        withExtendedLifetime(lock) {}
        exit(EXIT_SUCCESS)
    }

    /// An enclave that is just ending may still take a connection and then close it: another one is started.
    private static func enclave(
        of directory: DeviceDirectory, revive: @escaping @Sendable () -> Void
    ) throws -> RemoteEnclave {
        var triesLeft = 40
        while true {
            do throws(TransportFailure) {
                return try RemoteEnclave(socketPath: directory.enclaveSocket, revive: revive)
            } catch .refused(.peerNotAllowed) {
                throw DeviceFailure(
                    .inUse,
                    "The enclave of \(directory.path) serves the latchkeyd of another installation. Stop it with "
                        + "`latchkey stop --device \(directory.path)`, then start again.")
            } catch {
                triesLeft -= 1
                guard triesLeft > 0 else {
                    throw DeviceFailure(.unreachable, "The enclave of \(directory.path) cannot be reached: \(error).")
                }
                usleep(50_000)
                revive()
            }
        }
    }

    private static func confine(_ directory: DeviceDirectory) {
        // Temporary tables hold attributes of items: beside the database, not in a directory that all share.
        unsafe setenv("SQLITE_TMPDIR", directory.keychain, 1)
        let files = Confinement.restrictFiles(writable: [directory.path, "/dev/null"], readable: nil)
        if case .unavailable(let number) = files {
            log.write(unsafe "files are not confined (Landlock): \(String(cString: strerror(number)))")
        }
        // The daemon must be able to start its enclave again.
        if case .unavailable(let number) = Confinement.restrictSystemCalls(startingPrograms: true) {
            log.write(unsafe "system calls are not confined (seccomp): \(String(cString: strerror(number)))")
        }
    }
}
