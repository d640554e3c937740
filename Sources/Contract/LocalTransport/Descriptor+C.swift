import Glibc

@_implementationOnly import CLatchkeyShims

/// An open socket, closed when its last owner releases it.
final class Descriptor: Sendable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// True if the other side has closed the connection and receives no more replies.
    var hasHungUp: Bool { lk_socket_has_hung_up(number) == 1 }

    /// True if the other side has received everything that was sent to it, or if that is unknown.
    var isRead: Bool { lk_socket_is_read(number) != 0 }

    /// Waits until a packet can be received or sent, or until the other side has closed the connection. A signal begins
    /// the time anew.
    /// - Parameter event: `POLLIN` or `POLLOUT`.
    /// - Returns: false if the time is over.
    func wait(for event: Int32, seconds: Double) -> Bool {
        var watched = pollfd(fd: number, events: Int16(event), revents: 0)
        let milliseconds = Int32(max(0, seconds * 1000))
        var outcome: Int32
        repeat { outcome = unsafe poll(&watched, 1, milliseconds) } while outcome < 0 && errno == EINTR
        return outcome > 0
    }

    /// Ends the connection in both directions and wakes threads that are blocked on it. The number stays ours until the
    /// end of this object, so that no other file can get it while a thread still uses it.
    func shutdown() {
        lk_socket_shutdown(number)
    }
}
