import Glibc
import LatchkeyThreading

/// A watch that notices when the other side disconnects while this side waits for something else.
package struct HangUpWatch: Sendable {
    private let descriptor: Descriptor

    init(_ descriptor: Descriptor) {
        self.descriptor = descriptor
    }

    /// True if the other side is already gone; costs one system call.
    package var hasHungUp: Bool { descriptor.hasHungUp }

    /// Runs `body`; `onHangUp` is called from another thread, at most once, if the other side closes its end before
    /// `body` is over. If the system has no thread left, it is not called.
    package func run<Value>(onHangUp: @escaping @Sendable () -> Void, during body: () -> Value) -> Value {
        let end = Cancellation()
        let descriptor = descriptor
        _ = DetachedThread.start { Self.watch(descriptor, until: end, onHangUp) }
        defer { end.cancel() }
        return body()
    }

    private static func watch(
        _ descriptor: Descriptor, until end: Cancellation, _ onHangUp: @Sendable () -> Void
    ) {
        while !end.isCancelled {
            // The kernel skips negative descriptors.
            var waited = [
                pollfd(fd: descriptor.number, events: Int16(hangUp), revents: 0),
                pollfd(fd: end.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let outcome = unsafe poll(&waited, nfds_t(waited.count), end.pollMilliseconds)
            if outcome < 0, errno != EINTR { return }
            guard outcome > 0, Int32(waited[0].revents) & (hangUp | POLLHUP | POLLERR) != 0 else { continue }
            if !end.isCancelled { onHangUp() }
            return
        }
    }

    /// The other side has closed its end (POLLRDHUP, which the Glibc module lacks).
    private static let hangUp: Int32 = 0x2000
}
