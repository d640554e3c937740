import LatchkeyEnclaveContract
import LatchkeyThreading

/// A component that holds something as long as the enclave's keys stay as they are.
protocol KeyFollower: Sendable {
    /// Handles loaded or removed keys: nothing of an earlier epoch may stay in memory.
    func keysChanged()
}

/// The changes of the enclave's keys. Tells those that depend on the keys, once for each epoch.
final class KeyChanges: Sendable {
    private let enclave: any EnclaveMailbox
    private let followers: [any KeyFollower]
    private let events: EventDesk
    /// The last epoch of the enclave's keys that was announced to this service.
    private let servedEpoch: ForkMutex<UInt64>

    /// - Parameters:
    ///   - epoch: the epoch before any of the followers looked at the keys.
    ///   - followers: told in this order, before the watchers of lock and unlock.
    init(enclave: any EnclaveMailbox, since epoch: UInt64, followers: [any KeyFollower], events: EventDesk) {
        self.enclave = enclave
        self.followers = followers
        self.events = events
        servedEpoch = ForkMutex(epoch)
    }

    /// Handles loaded or removed keys.
    func keysChanged() {
        let epoch = enclave.keyEpoch
        for follower in followers { follower.keysChanged() }
        servedEpoch.withLock { $0 = epoch }
        events.lockStateMayHaveChanged()
    }

    /// Handles an act of the enclave that may have changed its keys. Cheap if it did not, because any program can
    /// request such an act.
    func keysMayHaveChanged() {
        let epoch = enclave.keyEpoch
        if servedEpoch.withLock({ $0 != epoch }) { return keysChanged() }
        // A grace period may have begun or ended, which changes no key.
        events.lockStateMayHaveChanged()
    }
}

extension ProtectionKeys: KeyFollower {
    func keysChanged() { dropOutdated() }
}

extension ItemKeyPool: KeyFollower {
    func keysChanged() { dropOutdated() }
}

extension ItemCircle: KeyFollower {
    func keysChanged() { dropOutdated() }
}

extension RowBinder: KeyFollower {
    /// Rows of a class that has been locked until now can be bound.
    func keysChanged() { start() }
}

extension ItemMover: KeyFollower {
    func keysChanged() { forgetSettled() }
}
