import Glibc
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEnclaveStorage
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyThreading

/// The enclave process: holds the class keys and the lock state of one device, for one keychain daemon.
@main
enum EnclaveProgram {
    static let usage = """
        usage: latchkey-enclave --storage DIR --socket PATH [--peer-executable FILE] [SENSOR]
                                [--test-only-passcode-cost LOG2]
               latchkey-enclave --storage DIR --client USER [SENSOR], with a socket that is passed to it (LISTEN_FDS)
               latchkey-enclave --answer-templates DIR, with a socket that is passed to it (LISTEN_FDS)
               latchkey-enclave --version
        SENSOR: --sensor fprintd|none, --fingerprint-user USER, --fingerprint-templates DIR-OR-SOCKET,
                --test-only-sensor SOCKET
        """

    private static let log = ProgramLog(program: "latchkey-enclave")

    static func main() {
        ProgramVersion.answer(CommandLine.arguments, program: "latchkey-enclave")
        OwnProcess.beginAsDaemon()
        if CommandLine.arguments.dropFirst().first == TemplateProgram.option {
            TemplateProgram.serve(CommandLine.arguments, log: log)
        }
        let options: EnclaveOptions
        do throws(ProgramOptions.Failure) {
            options = try EnclaveOptions(CommandLine.arguments)
        } catch {
            log.fail("\(error)", usage: usage)
        }
        serve(options)
    }

    /// The order matters: first the steps that need capabilities, then giving those up, and only then the first key.
    private static func serve(_ options: EnclaveOptions) -> Never {
        let passed = passedSocket()
        // Held until the process ends.
        let lock = lock(options)
        guard let outside = OutsideThread() else { log.fail("the system has no thread left") }
        let inspector = PeerInspector(outside: outside, seesPrograms: options.peerExecutable != nil)
        let listener = listener(options, passed: passed, inspector: inspector)
        let file = OwnProgramFile()
        OwnProcess.dropCapabilities()
        confine(options)
        let service = service(options)
        guard DetachedThread.start({ service.runTimer() }) else { log.fail("the system has no thread left") }
        let server = EnclaveServer(
            service: service, program: file, listener: listener, client: options.client,
            peerPath: options.peerExecutable, log: log)
        do throws(TransportFailure) {
            try server.start()
        } catch {
            log.fail("cannot serve: \(error)")
        }
        let processFile = options.processFile.map(ProcessFile.init)
        processFile?.write()
        log.write("ready, storage \(options.storage)")
        OwnProcess.waitForEndSignal()
        server.stop()
        processFile?.remove()
        log.write("stopped; the device's keys are gone from memory")
        withExtendedLifetime(lock) {}
        exit(EXIT_SUCCESS)
    }

    private static func passedSocket() -> PassedSocket? {
        do throws(PassedSocketFailure) {
            return try PassedSocket.take(named: "enclave")
        } catch {
            log.fail("cannot serve what was passed: \(error)")
        }
    }

    private static func listener(
        _ options: EnclaveOptions, passed: PassedSocket?, inspector: PeerInspector
    ) -> Listener {
        do throws(TransportFailure) {
            switch (passed, options.socket) {
            case (let passed?, nil): return try Listener(serving: passed, inspector: inspector)
            case (_?, _?): log.fail("a socket was passed and --socket names another one: leave one of them out")
            case (nil, nil): log.fail("--socket is missing, and no socket was passed", usage: usage)
            case (nil, let path?):
                guard options.peerExecutable != nil else {
                    log.fail("a --client of another user needs a socket that is passed, which that user can open")
                }
                return try Listener(path: path, inspector: inspector)
            }
        } catch {
            log.fail("cannot listen: \(error). Is the directory of the socket there and yours?")
        }
    }

    private static func lock(_ options: EnclaveOptions) -> ProcessLock {
        if unsafe mkdir(options.storage, 0o700) != 0, errno != EEXIST {
            log.fail(unsafe "cannot make \(options.storage): \(String(cString: strerror(errno)))")
        }
        do throws(ProcessLock.Failure) {
            return try ProcessLock(path: options.storage + "/process.lock")
        } catch {
            switch error {
            case .held:
                log.fail(
                    "another latchkey-enclave serves \(options.storage). Stop it with `latchkey stop`, "
                        + "or name another storage directory.")
            case .system(let number):
                log.fail(unsafe "cannot lock \(options.storage)/process.lock: \(String(cString: strerror(number)))")
            }
        }
    }

    private static func confine(_ options: EnclaveOptions) {
        let readable =
            ["/proc", "/dev/null", "/dev/urandom", "/etc", "/usr", "/lib", "/lib64"] + options.sensor.readablePaths
        let files = Confinement.restrictFiles(
            writable: [options.storage] + [options.socketDirectory].compactMap { $0 }, readable: readable)
        if case .unavailable(let number) = files {
            log.write(unsafe "files are not confined (Landlock): \(String(cString: strerror(number)))")
        }
        if case .unavailable(let number) = Confinement.restrictSystemCalls(startingPrograms: false) {
            log.write(unsafe "system calls are not confined (seccomp): \(String(cString: strerror(number)))")
        }
    }

    private static func service(_ options: EnclaveOptions) -> EnclaveService {
        do {
            let storage = try FileEnclaveStorage(directory: options.storage)
            return try EnclaveService(
                storage: storage, clock: SystemClock(), entropy: SystemEntropy(), passcodeCost: options.passcodeCost,
                sensor: options.sensor.sensor())
        } catch {
            log.fail("cannot open the storage \(options.storage): \(error)")
        }
    }
}
