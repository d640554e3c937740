import Glibc
package import LatchkeyDevice
import LatchkeyPlainText

/// The daemon and the enclave of a device as processes: started, looked for, ended.
package struct DaemonPair: Sendable {
    package let directory: DeviceDirectory

    package init(directory: DeviceDirectory) {
        self.directory = directory
    }

    package static let daemonName = "latchkeyd"
    package static let enclaveName = "latchkey-enclave"

    /// The time limit for the daemon's first answer; the passcode's cost is measured then, too.
    private static let startLimit: Duration = .seconds(30)
    private static let stopLimitMilliseconds: Int32 = 10_000

    /// The process that answers on the keychain socket.
    package var daemon: RunningProcess? { listener(directory.keychainSocket, named: Self.daemonName) }
    package var enclave: RunningProcess? { listener(directory.enclaveSocket, named: Self.enclaveName) }

    /// Starts the daemon, which starts the enclave, and returns when it answers.
    ///
    /// - Parameter options: of the daemon, after its directory.
    package func start(_ options: [String] = []) throws(CommandFailure) -> RunningProcess {
        guard let program = Program.besideThisOne(Self.daemonName) else {
            throw CommandFailure(
                .startFailed, "The daemon was not found.", why: "\(Self.daemonName) is not beside this program.",
                advice: "Build everything with `make build`, or install the programs in one directory.")
        }
        guard directory.enclaveSocket.utf8.count < 107, directory.keychainSocket.utf8.count < 107 else {
            throw CommandFailure(
                .startFailed, "The device directory's path is too long for its sockets.",
                why: "\(directory.keychainSocket) has more than the 107 bytes that the system allows.",
                advice: "Name a shorter one with --device.")
        }
        do {
            try directory.prepare()
        } catch {
            throw CommandFailure(error)
        }
        let identifier = try spawn(program, options)
        let clock = ContinuousClock()
        let end = clock.now + Self.startLimit
        var hasEnded = false
        while clock.now < end {
            if let daemon {
                if !hasEnded, daemon.identifier != identifier { endDaemon(identifier) }
                return daemon
            }
            if !hasEnded { hasEnded = waitpid(identifier, nil, WNOHANG) != 0 }
            // Another daemon may have been faster: this one then ended because the device was in use. The other one has
            // the device some time before it answers.
            if hasEnded, !isDaemonsDevice {
                if let daemon { return daemon }
                throw startFailure("It ended before it answered.")
            }
            usleep(5_000)
        }
        if !hasEnded { endDaemon(identifier) }
        throw startFailure("It did not answer within \(Self.startLimit).")
    }

    /// Ends both processes and returns when they have ended; the daemon first, so that it does not start the enclave
    /// anew.
    ///
    /// - Returns: how many processes there were to end.
    package func stop() throws(CommandFailure) -> Int {
        let processes = [
            daemon ?? recorded(directory.daemonProcessFile, named: Self.daemonName),
            enclave ?? recorded(directory.enclaveProcessFile, named: Self.enclaveName),
        ].compactMap { $0 }
        for process in processes {
            process.send(signal: SIGTERM)
            guard !process.waitForEnd(milliseconds: Self.stopLimitMilliseconds) else { continue }
            throw CommandFailure(
                .stopFailed, "Process \(process.identifier) did not end.",
                why: "It was asked to (SIGTERM) and is still there after \(Self.stopLimitMilliseconds / 1000) s.",
                advice: "`kill -9 \(process.identifier)` loses nothing: what was acknowledged is on the disk.")
        }
        return processes.count
    }

    /// True if a daemon has the device, though it may not answer yet.
    private var isDaemonsDevice: Bool {
        do throws(DeviceFailure) {
            _ = try DeviceLock(directory, for: .embedded)
            return false
        } catch {
            return error.code == .inUse
        }
    }

    /// Ends a daemon that this process started: another one has the device, and it would wait to take that over.
    private func endDaemon(_ identifier: Int32) {
        kill(identifier, SIGKILL)
        waitpid(identifier, nil, 0)
    }

    private func spawn(_ program: Program, _ options: [String]) throws(CommandFailure) -> Int32 {
        let log = unsafe open(directory.daemonLog, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard log >= 0 else {
            throw CommandFailure(
                .startFailed, "\(directory.daemonLog) could not be opened.", why: SystemError.text(errno),
                advice: "Fix the directory's permissions, then try again.")
        }
        defer { close(log) }
        let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        do {
            return try program.start(
                ["--device", directory.path] + options, descriptors: (nothing, log, log), detached: true)
        } catch {
            throw CommandFailure(
                .startFailed, "\(error.path) could not be started.", why: SystemError.text(error.errno))
        }
    }

    private func startFailure(_ why: String) -> CommandFailure {
        let said = BoundedFile.text(directory.daemonLog, limit: 4096)?.split(separator: "\n").suffix(6) ?? []
        let words = said.isEmpty ? "" : " It said: " + said.joined(separator: " / ")
        return CommandFailure(
            .startFailed, "The daemon did not start.", why: why + words,
            advice: "Fix the problem that it names, then run `latchkey start` again. Its log: \(directory.daemonLog)")
    }

    private func listener(_ socket: String, named name: String) -> RunningProcess? {
        SocketProbe.listener(at: socket).flatMap(RunningProcess.init).flatMap { isProgram($0, name) ? $0 : nil }
    }

    /// The process that a pid file names, if it still runs that program: a process that no longer answers.
    private func recorded(_ file: String, named name: String) -> RunningProcess? {
        guard let text = BoundedFile.text(file, limit: 32),
            let identifier = Int32(text.filter(\.isNumber)), identifier > 1,
            let process = RunningProcess(identifier: identifier), isProgram(process, name)
        else { return nil }
        return process
    }

    private func isProgram(_ process: RunningProcess, _ name: String) -> Bool {
        guard let executable = process.executable else { return process.shortName == String(name.prefix(15)) }
        return PathText.name(of: executable) == name
    }
}
