import Glibc

@_implementationOnly import CLatchkeyShims

/// A running pinentry that is ended and reaped in every case.
@safe final class PinentryProcess {
    /// The time that it may take to end after it was told to.
    private static let endMilliseconds: Int32 = 1000

    private let identifier: pid_t
    private let pidDescriptor: Int32
    private var isReaped = false

    private init(identifier: pid_t, pidDescriptor: Int32) {
        self.identifier = identifier
        self.pidDescriptor = pidDescriptor
    }

    /// Starts the program with one socket as standard input and output. It inherits nothing else.
    ///
    /// - Returns: the process, and our end of the socket, which does not block.
    static func start(
        _ program: String, _ arguments: [String], environment: [String: String]
    ) throws(PinentryStartFailure) -> (PinentryProcess, Int32) {
        var ends: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw .init(errno: errno) }
        let nothing = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
        // Descriptors below 3 could be overwritten before they are used (if this program was started without them).
        let theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, 3)
        let log = fcntl(nothing, F_DUPFD_CLOEXEC, 3)
        defer {
            for descriptor in [ends[1], nothing, theirs, log] where descriptor >= 0 { close(descriptor) }
        }
        guard theirs >= 0, log >= 0 else {
            let number = errno
            close(ends[0])
            throw .init(errno: number)
        }

        var words: [UnsafeMutablePointer<CChar>?] = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = unsafe environment.map { unsafe strdup("\($0)=\($1)") } + [nil]
        defer {
            unsafe (words + variables).forEach { unsafe free($0) }
        }
        var identifier: pid_t = 0
        // In this session: a terminal without a session would become the pinentry's, and be hung up when it ends.
        let result = unsafe lk_spawn(program, &words, &variables, [theirs, theirs, log], 0, &identifier)
        guard result == 0 else {
            close(ends[0])
            throw .init(errno: -result)
        }
        return (PinentryProcess(identifier: identifier, pidDescriptor: lk_pidfd_open(identifier)), ends[0])
    }

    deinit {
        end(telling: SIGKILL)
        if pidDescriptor >= 0 { close(pidDescriptor) }
    }

    /// Takes its prompt away: the signal that a pinentry uses for its own timeout makes it restore the terminal.
    func takeAway() {
        end(telling: SIGALRM)
    }

    /// Waits until it ends by itself, as it does when the other end of its socket is closed.
    func leave() {
        end(telling: nil)
    }

    private func end(telling signal: Int32?) {
        guard !isReaped else { return }
        if let signal { kill(identifier, signal) }
        if signal != SIGKILL, !ends(within: Self.endMilliseconds) { kill(identifier, SIGKILL) }
        while waitpid(identifier, nil, 0) < 0, errno == EINTR {}
        isReaped = true
    }

    private func ends(within milliseconds: Int32) -> Bool {
        guard pidDescriptor >= 0 else { return false }
        var source = pollfd(fd: pidDescriptor, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&source, 1, milliseconds) == 1
    }
}

/// A pinentry that could not be started.
struct PinentryStartFailure: Error {
    let errno: Int32
}
