import Glibc
import LatchkeyThreading
import Synchronization

@_implementationOnly import CLatchkeyShims

/// A watch over the signals that would end a program while a change of the terminal or the device has to be undone
/// first.
///
/// Must be made before any other thread: earlier threads could still receive the signals.
@safe package final class InterruptWatch: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    private let before: sigset_t
    private let end = Cancellation()
    private let hasEnded = Cancellation()

    /// - Parameter handle: receives the number of a signal on a thread of its own. False: the signal has its default
    ///   effect and ends the program.
    package init?(handle: @escaping @Sendable (Int32) -> Bool) {
        var watched = sigset_t()
        unsafe sigemptyset(&watched)
        for signal in Self.signals { unsafe sigaddset(&watched, signal) }
        var before = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, &watched, &before)
        self.before = before
        let source = unsafe lk_signalfd(&watched)
        let (end, hasEnded) = (end, hasEnded)
        let isWatched =
            source >= 0
            && DetachedThread.start {
                Self.watch(source, until: end, handle)
                close(source)
                hasEnded.cancel()
            }
        guard isWatched else {
            unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
            if source >= 0 { close(source) }
            return nil
        }
    }

    /// Restores the effect of the signals, in the thread that made the watch.
    package func stop() {
        end.cancel()
        var source = pollfd(fd: hasEnded.descriptor, events: Int16(POLLIN), revents: 0)
        while !hasEnded.isCancelled { unsafe poll(&source, 1, hasEnded.pollMilliseconds) }
        var before = before
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    private static func watch(_ source: Int32, until end: Cancellation, _ handle: (Int32) -> Bool) {
        while !end.isCancelled {
            var sources = [
                pollfd(fd: source, events: Int16(POLLIN), revents: 0),
                pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            guard unsafe poll(&sources, 2, end.pollMilliseconds) > 0, sources[0].revents != 0 else { continue }
            let signal = lk_signalfd_read(source)
            guard signal > 0, !handle(signal) else { continue }
            deliver(signal)
        }
    }

    /// Unblocks the signal in this thread only; it ends the process.
    private static func deliver(_ signal: Int32) {
        var one = sigset_t()
        unsafe sigemptyset(&one)
        unsafe sigaddset(&one, signal)
        unsafe pthread_sigmask(SIG_UNBLOCK, &one, nil)
        kill(getpid(), signal)
        unsafe pthread_sigmask(SIG_BLOCK, &one, nil)
    }
}
