internal import LatchkeySyncKeys
internal import Synchronization

/// The keys of a circle that this device has opened, within reach of every thread: they go at a lock, also while another thread waits for
/// a store.
final class KeyringVault: Sendable {
    private let ring: Mutex<ZoneKeyring>

    init(_ ring: ZoneKeyring) {
        self.ring = Mutex(ring)
    }

    var current: ZoneKeyring { ring.withLock { $0 } }

    /// Takes keys that were opened, unless the enclave's keys have changed since.
    /// - Parameter isCurrent: asked while no other thread can forget keys.
    func put(_ opened: ZoneKeyring, ifStill isCurrent: () -> Bool) {
        ring.withLock { ring in
            if isCurrent() { ring = opened } else { ring.forgetAll() }
        }
    }

    func forgetAll() {
        ring.withLock { $0.forgetAll() }
    }
}
