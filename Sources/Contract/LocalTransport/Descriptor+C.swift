import Glibc

@_implementationOnly import CLatchkeyShims

/// An open socket, closed when its last owner lets go.
final class Descriptor: Sendable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// The other side has closed the connection and takes no answer any more.
    var hasHungUp: Bool { lk_socket_has_hung_up(number) == 1 }

    /// The other side has received all that was sent to it. True where that cannot be told.
    var isRead: Bool { lk_socket_is_read(number) != 0 }

    /// Ends the connection in both directions and wakes whoever is blocked on it. The number stays ours until the end
    /// of this object, so that no other file can get it while a thread still uses it.
    func shutdown() {
        lk_socket_shutdown(number)
    }
}
