import Glibc
import LatchkeyDevice
import LatchkeyEtcdStore
import LatchkeyLocalTransport
import LatchkeyPeerIdentity
import LatchkeyPlainText
import LatchkeySyncStore
import LatchkeySyncTransport

/// The transport process: reads and writes the store of item sync for one keychain daemon. It holds no key.
@main
enum TransportProgram {
    static let usage = """
        usage: latchkey-transport --store STORE --socket PATH [--peer-executable FILE] [--parent PID]
               latchkey-transport --store STORE --client USER, with a socket that is passed to it (LISTEN_FDS)
               latchkey-transport --version
        STORE: folder:DIR
               etcd:https://HOST:PORT,…[;ca=FILE][;certificate=FILE;key=FILE][;user=NAME;password-file=FILE]
        """

    private static let log = ProgramLog(program: "latchkey-transport")

    static func main() {
        ProgramVersion.answer(CommandLine.arguments, program: "latchkey-transport")
        // The daemon has to identify this program at any time, so it does not refuse inspection.
        OwnProcess.refuseCoreFiles()
        OwnProcess.keepLittleMemory()
        OwnProcess.refuseNewPrivileges()
        OwnProcess.blockEndSignals()
        let options: TransportOptions
        do throws(ProgramOptions.Failure) {
            options = try TransportOptions(CommandLine.arguments)
        } catch {
            log.fail("\(error)", usage: usage)
        }
        if let parent = options.parent, !OwnProcess.endWithParent(Int32(clamping: parent)) {
            log.fail("process \(parent), for which this one was started, has ended")
        }
        serve(options)
    }

    /// The order matters: the socket and the thread that inspects the daemon come first, then the confinement, and then the store.
    private static func serve(_ options: TransportOptions) -> Never {
        let passed = passedSocket()
        let stores = served(options.store, isPassed: passed != nil)
        // Held until the process ends.
        let lock = options.socketDirectory.map { held(in: $0) }
        guard let outside = OutsideThread() else { log.fail("the system has no thread left") }
        let inspector = PeerInspector(outside: outside, seesPrograms: options.peerExecutable != nil)
        let listener = listener(options, passed: passed, inspector: inspector)
        OwnProcess.dropCapabilities()
        confine(options.store)
        let server = TransportServer(
            TransportStores(stores.circles, text: options.store.text), listener: listener,
            daemon: ProgramAdmission(userID: options.client, path: options.peerExecutable), log: { log.write($0) },
            beforeEach: { if stores.isOver() { end(options.store) } })
        do throws(TransportFailure) {
            try server.start()
        } catch {
            log.fail("cannot serve: \(error)")
        }
        log.write("ready, store \(options.store.text)")
        OwnProcess.waitForEndSignal()
        server.stop()
        log.write("stopped")
        withExtendedLifetime(lock) {}
        exit(EXIT_SUCCESS)
    }

    /// Returns the circles of a store, and a function that is true when the next question has to be left to a new process.
    private static func served(
        _ store: StoreChoice, isPassed: Bool
    ) -> (circles: any CircleStores, isOver: @Sendable () -> Bool) {
        switch store {
        case .folder(let path):
            let folder = StoreFolder(at: path)
            if folder == nil {
                let reason = "there is no folder \(path). Make it, or mount what has it"
                // A passed socket stays open: callers would wait for an answer until the folder comes back.
                guard isPassed else {
                    log.write(reason + ", and try again.")
                    exit(EX_NOINPUT)
                }
                log.write(reason + ". It is looked for again with a later question.")
            }
            let look = FolderLook(folder)
            return (FolderCircles(in: path), { look.isOver })
        case .etcd(let address):
            // Before the confinement, as everything that is read.
            if let reason = EtcdCircles.clientFailure {
                log.fail(
                    "a store in etcd needs libcurl, which cannot be loaded: \(reason). "
                        + "On Debian and Ubuntu: apt install libcurl4")
            }
            let look = FileLook(address.files + StoreChoice.replacedPaths)
            do throws(EtcdFileFailure) {
                let access = try EtcdAccess(reading: address)
                return (EtcdCircles(at: address, access: access, report: { log.write($0) }), { look.isOver })
            } catch {
                log.fail("\(error)")
            }
        }
    }

    /// The next start is confined to the folder, and reads the files, that are there then.
    private static func end(_ store: StoreChoice) -> Never {
        switch store {
        case .folder(let path):
            log.write("\(path) is not the folder of the start any more, or was missing: ending, to be started again")
        case .etcd: log.write("a file of the store is another one than at the start: ending, to be started again")
        }
        exit(EX_TEMPFAIL)
    }

    private static func passedSocket() -> PassedSocket? {
        do throws(PassedSocketFailure) {
            return try PassedSocket.take(named: "transport")
        } catch {
            log.fail("cannot serve what was passed: \(error)")
        }
    }

    private static func listener(
        _ options: TransportOptions, passed: PassedSocket?, inspector: PeerInspector
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

    private static func held(in directory: String) -> ProcessLock {
        do throws(ProcessLock.Failure) {
            return try ProcessLock(path: directory + "/transport.lock")
        } catch {
            switch error {
            case .held: log.fail("another latchkey-transport serves in \(directory)")
            case .system(let number):
                log.fail(unsafe "cannot lock \(directory)/transport.lock: \(String(cString: strerror(number)))")
            }
        }
    }

    /// The folder and the system's libraries: nothing else of the user. The directory of the socket is not among them, because the sockets of
    /// daemon and enclave are in it; the file of this socket stays when the transport ends, and the next one replaces it.
    private static func confine(_ store: StoreChoice) {
        let files = Confinement.restrictFiles(
            writable: store.writablePaths,
            readable: ["/dev/null", "/dev/urandom", "/usr", "/lib", "/lib64"] + store.readablePaths)
        if case .unavailable(let number) = files {
            log.write(unsafe "files are not confined (Landlock): \(String(cString: strerror(number)))")
        }
        let calls = Confinement.restrictSystemCalls(startingPrograms: false, usingInternet: store.usesInternet)
        if case .unavailable(let number) = calls {
            log.write(unsafe "system calls are not confined (seccomp): \(String(cString: strerror(number)))")
        }
    }
}
