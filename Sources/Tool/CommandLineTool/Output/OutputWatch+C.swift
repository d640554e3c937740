import Glibc
import LatchkeyThreading

/// Notices that a program's output has no reader any more, because the pager was left for instance.
enum OutputWatch {
    /// Runs `action` once, on a thread of its own, when standard output or standard error was a pipe that is closed at
    /// its other end now.
    static func whenClosed(_ action: @escaping @Sendable () -> Void) {
        let pipes = [STDOUT_FILENO, STDERR_FILENO].filter(isPipe)
        guard !pipes.isEmpty else { return }
        _ = DetachedThread.start {
            // No events are asked for: a pipe without a reader reports an error in any case.
            var sources = pipes.map { pollfd(fd: $0, events: 0, revents: 0) }
            while unsafe poll(&sources, nfds_t(sources.count), -1) <= 0, errno == EINTR {}
            action()
        }
    }

    private static func isPipe(_ descriptor: Int32) -> Bool {
        var information = stat()
        guard unsafe fstat(descriptor, &information) == 0 else { return false }
        return information.st_mode & S_IFMT == S_IFIFO
    }
}
