internal import LatchkeyEnclaveContract
internal import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncStore
internal import LatchkeyThreading
internal import Synchronization

/// The exchange of items of a daemon: two threads and the answers to the owner's questions.
///
/// One thread works when programs have changed items, when the lock state has changed, when the store has given a hint, and when the time
/// for something has come. The other one waits for hints. Where there is no circle both sleep.
package final class CircleService: @unchecked Sendable {
    // Sendable because the keeper is used under the lock alone.
    let parts: CircleParts
    private let keeper: CircleKeeper
    private let lock = Mutex(())
    private let signal = CircleSignal()

    package init(_ parts: CircleParts) {
        self.parts = parts
        keeper = CircleKeeper(parts)
        parts.items.whenChanged { [signal] in signal.post(.items) }
    }

    /// Takes the circle of the device and works for it from now on.
    /// - Returns: false if the system has no thread left.
    package func start() -> Bool {
        withKeeper { $0.open() }
        return DetachedThread.start { self.work() } && DetachedThread.start { self.waitForHints() }
    }

    /// Ends both threads. What is not done is done after the next start.
    package func stop() {
        signal.close()
    }

    /// Handles loaded or removed keys of the enclave.
    package func keysChanged() {
        signal.post(.keys)
    }

    /// Runs `body` with the circle, and lets the threads look at what it did.
    func withKeeper<R>(_ body: (CircleKeeper) throws -> R) rethrows -> R {
        try lock.withLock { _ in
            defer { signal.publish(keeper.state) }
            return try body(keeper)
        }
    }

    /// Waits until the progress is another one than the caller knows.
    func progress(after known: Int64?, until end: Cancellation) -> SyncProgress {
        signal.progress(after: known, until: end)
    }

    private func work() {
        while let causes = signal.next({ self.parts.uptime }) {
            withKeeper { $0.work(causes) }
        }
    }

    private func waitForHints() {
        var pause = ReplicaLimits.second
        while let (store, end) = signal.store() {
            do throws(StoreFailure) {
                let hint = try store.waitForHint(until: end)
                pause = ReplicaLimits.second
                if hint == .changed { signal.post(.hint) }
            } catch {
                // What talks to the store may be gone: the next exchange finds out, and starts it again.
                end.wait(atMost: Double(pause) / Double(ReplicaLimits.second))
                pause = min(pause * 2, ReplicaLimits.longestPause)
                signal.post(.hint)
            }
        }
    }
}

extension CircleParts {
    /// Microseconds that the device has been up.
    var uptime: UInt64 { Moment(of: clock).uptime }
}

extension ReplicaLimits {
    fileprivate static let longestPause = 5 * minute
}
