import Glibc
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyItemDatabase
import LatchkeyKeychainService
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeySyncService
import LatchkeyThreading

/// The keychain daemon: serves one device to the programs of its user.
@main
enum DaemonProgram {
    static let usage = """
        usage: latchkeyd --device DIR [--owner USER --enclave-socket PATH] [--transport-socket PATH]
                   [--trusted-group GROUP] [--accept-declared-callers] [--test-only-passcode-cost LOG2]
                   [--test-only-sensor SOCKET]
               latchkeyd --version
        A listening socket may be passed to it (LISTEN_FDS); else it listens at DIR/run/keychain.sock.
        """

    private static let log = ProgramLog(program: "latchkeyd")

    static func main() {
        ProgramVersion.answer(CommandLine.arguments, program: "latchkeyd")
        OwnProcess.beginAsDaemon()
        let options: DaemonOptions
        do throws(ProgramOptions.Failure) {
            options = try DaemonOptions(CommandLine.arguments)
        } catch {
            log.fail("\(error)", usage: usage)
        }
        do {
            try serve(options)
        } catch {
            log.fail("\(error)")
        }
    }

    /// Throws any error of its parts: the log has the text of each.
    ///
    /// The order matters: lock, enclave, confinement, and only then everything that starts threads.
    private static func serve(_ options: DaemonOptions) throws -> Never {
        let directory = options.directory
        let passed = try PassedSocket.take(named: "keychain")
        try directory.prepare(hasEnclave: options.enclaveSocket == nil)
        let lock = try DeviceLock(directory, for: .daemon)
        guard let outside = OutsideThread(), let starting = OutsideThread() else {
            log.fail("the system has no thread left")
        }
        let starter =
            options.enclaveSocket == nil
            ? try EnclaveStarter(options, log: log) : nil
        try starter?.ensureRunning()
        let listener = try listener(options, passed: passed, inspector: PeerInspector(outside: outside))
        // The outside thread keeps the capability, because it inspects programs of another user.
        OwnProcess.dropCapabilities()
        starting.perform { OwnProcess.dropCapabilities() }
        confine(directory)
        confineCalls(startsTransport: options.transportSocket == nil, outside, starting)
        let enclave = try enclave(of: options) { outside.perform { starter?.startIfGone() } }
        let tool = try OwnersToolFile.besideThisProgram(owner: options.owner)
        // The system units hide directories such as /srv and /tmp, so there the daemon can only be sure of its own
        // files.
        let seesEveryFile = !options.servesAnotherUser
        let toolPath = tool.path
        FrameBatching.register(forAll: true)
        let service = try KeychainService(
            directory: directory.path, enclave: enclave, clock: SystemClock(), entropy: SystemEntropy(), kind: "daemon",
            ownersToolPath: toolPath,
            isFileGone: { path in (seesEveryFile || path == toolPath) && MissingFile.isGone(path) },
            unprovenOwner: options.servesAnotherUser
                ? .root(tool: "env LATCHKEY_DEVICE=unix:\(listener.path) latchkey") : .anyProgram)
        let circle = try circle(of: service, enclave, options, outside, starting)
        service.circle.put(circle)
        enclave.whenKeysChange { service.keysChanged() }
        // Without this thread each call writes the log itself.
        _ = DetachedThread.start { service.runAuditWriter() }
        let access = CallerRecognition(
            check: ProgramCheck(detachedDirectories: directory.signatureDirectories),
            trustedGroup: options.trustedGroup, ownersTool: tool, requiredLevel: { service.requiredLevel },
            verdict: { service.verdict(on: $0) }, teamOfAlias: { service.team(of: $0) })
        let server = KeychainServer(
            service: service, listener: listener, access: access, owner: options.owner,
            trustedGroup: options.trustedGroup, acceptsDeclaredCallers: options.acceptsDeclaredCallers, log: log)
        try server.start()
        guard circle.start() else { log.fail("the system has no thread left") }
        let processFile = ProcessFile(path: directory.daemonProcessFile)
        processFile.write()
        if options.acceptsDeclaredCallers {
            log.write("accepts declared callers: for devices that hold nothing of value")
        }
        log.write("ready, device \(directory.path), owner \(Account.userName(options.owner) ?? "\(options.owner)")")
        OwnProcess.waitForEndSignal()
        server.stop()
        circle.stop()
        service.close()
        processFile.remove()
        log.write("stopped")
        withExtendedLifetime(lock) {}
        exit(EXIT_SUCCESS)
    }

    private static func listener(
        _ options: DaemonOptions, passed: PassedSocket?, inspector: PeerInspector
    ) throws(StartFailure) -> Listener {
        guard passed != nil || !options.servesAnotherUser else {
            throw StartFailure(
                "No socket was passed, and one that this daemon opens itself could not be reached by user "
                    + "\(options.owner). Start the daemon from its socket unit: systemctl start latchkeyd@USER.socket")
        }
        do throws(TransportFailure) {
            if let passed { return try Listener(serving: passed, inspector: inspector) }
            return try Listener(path: options.directory.keychainSocket, inspector: inspector)
        } catch {
            throw StartFailure("\(error)")
        }
    }

    /// Connects to the enclave. One that is about to end may accept a connection and close it; another enclave is then
    /// started.
    private static func enclave(
        of options: DaemonOptions, revive: @escaping @Sendable () -> Void
    ) throws(DeviceFailure) -> RemoteEnclave {
        let directory = options.directory
        let socket = options.enclaveSocket ?? directory.enclaveSocket
        var triesLeft = 40
        while true {
            do throws(TransportFailure) {
                return try RemoteEnclave(
                    socketPath: socket, showsProgram: !options.servesAnotherUser, revive: revive)
            } catch .refused(.peerNotAllowed) where options.enclaveSocket != nil {
                throw DeviceFailure(
                    .inUse,
                    "The enclave at \(socket) does not serve user \(geteuid()). Start it with --client "
                        + "\(Account.userName(geteuid()) ?? "\(geteuid())").")
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

    /// The circle of the device, whose store another process talks to.
    private static func circle(
        of service: KeychainService, _ enclave: RemoteEnclave, _ options: DaemonOptions, _ outside: OutsideThread,
        _ starting: OutsideThread
    ) throws(IdentityFailure) -> CircleService {
        let host: any StoreHost =
            if let socket = options.transportSocket {
                SystemTransportHost(socket: socket, log: log)
            } else {
                try TransportHost(options.directory, outside: starting, inspecting: outside, log: log)
            }
        return CircleService(
            CircleParts(
                items: service.shared, enclave: enclave, host: host, clock: SystemClock(), entropy: SystemEntropy(),
                system: SystemName.text, afterLongWork: OwnProcess.returnFreedMemory))
    }

    private static func confine(_ directory: DeviceDirectory) {
        // Temporary tables contain attributes of items, so they belong beside the database and not in a shared
        // directory.
        unsafe setenv("SQLITE_TMPDIR", directory.keychain, 1)
        let files = Confinement.restrictFiles(writable: [directory.path, "/dev/null"], readable: nil)
        if case .unavailable(let number) = files {
            log.write(unsafe "files are not confined (Landlock): \(String(cString: strerror(number)))")
        }
    }

    /// The daemon must be able to start its enclave again.
    ///
    /// A transport inherits the restrictions of the thread that starts it, and may have to reach a server. So this thread alone may make
    /// sockets of the Internet, where the daemon starts the transport at all.
    private static func confineCalls(
        startsTransport: Bool, _ outside: OutsideThread, _ starting: OutsideThread
    ) {
        let outcomes =
            startsTransport
            ? [
                outside.perform {
                    Confinement.restrictSystemCalls(startingPrograms: true, inThisThreadAlone: true)
                },
                starting.perform {
                    Confinement.restrictSystemCalls(
                        startingPrograms: true, usingInternet: true, inThisThreadAlone: true)
                },
                Confinement.restrictSystemCalls(startingPrograms: true, inThisThreadAlone: true),
            ] : [Confinement.restrictSystemCalls(startingPrograms: true)]
        for case .unavailable(let number) in outcomes {
            log.write(unsafe "system calls are not confined (seccomp): \(String(cString: strerror(number)))")
        }
    }
}

/// The name and release of the system, for the people who have other devices.
private enum SystemName {
    static var text: String {
        var name = utsname()
        guard unsafe uname(&name) == 0 else { return "Linux" }
        func text(_ field: UnsafePointer<CChar>) -> String { unsafe String(cString: field) }
        let system = unsafe withUnsafePointer(to: &name.sysname) {
            unsafe $0.withMemoryRebound(to: CChar.self, capacity: 65) { unsafe text($0) }
        }
        let release = unsafe withUnsafePointer(to: &name.release) {
            unsafe $0.withMemoryRebound(to: CChar.self, capacity: 65) { unsafe text($0) }
        }
        return "\(system) \(release)"
    }
}

/// The reason why the daemon does not serve, for its log.
private struct StartFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
