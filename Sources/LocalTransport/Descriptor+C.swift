import CLatchkeyShims
import Glibc

/// An open socket, closed when its last owner lets go.
final class Descriptor: Sendable {
    let number: Int32

    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        close(number)
    }

    /// Ends the connection in both directions and wakes whoever is blocked on it. The number stays ours until the end
    /// of this object, so that no other file can get it while a thread still uses it.
    func shutdown() {
        lk_socket_shutdown(number)
    }
}
