internal import LatchkeyEnclaveContract
internal import LatchkeyItemModel
package import LatchkeyKeychainMessages
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncStore
internal import LatchkeyThreading
internal import Synchronization

/// The exchange of items of a daemon: two threads and the answers to the owner's questions.
///
/// One thread works when programs have changed items, when the lock state has changed, when the store has given a hint, and when the time
/// for something has come. The other one waits for hints. Where there is no circle both sleep.
package final class CircleService: CirclePart, @unchecked Sendable {
    // Sendable because the keeper is used under the lock alone.
    let parts: CircleParts
    private let keeper: CircleKeeper
    private let lock = PatientLock()
    /// The opened keys of the circle.
    private let vault = Mutex<KeyringVault?>(nil)
    /// The report that was made last, for a time in which the store does not answer.
    private let lastReport = Mutex<CircleReport?>(nil)
    private let signal = CircleSignal()

    package init(_ parts: CircleParts) {
        var parts = parts
        parts.isAwaited = { [lock] in lock.isAwaited }
        self.parts = parts
        keeper = CircleKeeper(parts)
        parts.items.whenChanged { [signal] in signal.post(.items) }
    }

    /// Takes the circle of the device and works for it from now on.
    /// - Returns: false if the system has no thread left.
    package func start() -> Bool {
        signal.post(.keys)
        return DetachedThread.start { self.work() } && DetachedThread.start { self.waitForHints() }
    }

    /// Ends both threads. Unfinished work is done after the next start.
    package func stop() {
        signal.close()
    }

    /// Handles loaded or removed keys of the enclave.
    package func keysChanged() {
        // At once, whatever the worker waits for. It opens again what may be open.
        vault.withLock { $0 }?.forgetAll()
        signal.post(.keys)
    }

    /// Runs `body` with the circle, and lets the threads look at what it did.
    func withKeeper<R>(_ body: (CircleKeeper) throws -> R) rethrows -> R {
        try lock.withLock {
            defer { publish() }
            return try body(keeper)
        }
    }

    private func publish() {
        vault.withLock { $0 = keeper.engine?.vault }
        signal.publish(keeper.state)
    }

    /// The same for an answer, which does not wait long for a store.
    func answering<Answer>(_ body: (CircleKeeper) throws -> Answer) throws(CircleFailure) -> Answer {
        try answering(within: Self.patience, body) { () throws(CircleFailure) in throw CircleFailure(.syncBusy) }
    }

    /// Answers with the report, or with the last one while the circle waits for its store.
    package func answer(_ question: DescribeCircle) throws(CircleFailure) -> CircleReport {
        let report = try answering(within: Self.reportPatience) {
            try $0.report()
        } orElse: { () throws(CircleFailure) in
            guard var report = lastReport.withLock({ $0 }) else { throw CircleFailure(.syncBusy) }
            report.storeTrouble = StoreFailure.unreachable(.noAnswer).words
            return report
        }
        lastReport.withLock { $0 = report }
        return report
    }

    /// In seconds.
    private static let hintInterval = 0.02
    private static let patience = 20
    private static let reportPatience = 3

    private func answering<Answer>(
        within seconds: Int, _ body: (CircleKeeper) throws -> Answer, orElse: () throws(CircleFailure) -> Answer
    ) throws(CircleFailure) -> Answer {
        let answer: Answer?
        do {
            answer = try lock.withLock(within: seconds) {
                defer { publish() }
                keeper.ensureOpen()
                do {
                    return try body(keeper)
                } catch {
                    throw CircleFailure(error, keeper.place?.store)
                }
            }
        } catch {
            throw CircleFailure(error)
        }
        guard let answer else { return try orElse() }
        return answer
    }

    /// Waits until the progress is another one than the caller knows.
    func progress(after known: Int64?, until end: Cancellation) -> SyncProgress {
        signal.progress(after: known, until: end)
    }

    private func work() {
        while let causes = signal.next({ self.parts.uptime }) {
            let start = parts.uptime
            withKeeper { $0.work(causes) }
            if signal.note(workFrom: start, to: parts.uptime) { parts.afterLongWork() }
        }
    }

    private func waitForHints() {
        var pause = ReplicaLimits.second
        while let (store, end) = signal.store() {
            do throws(StoreFailure) {
                let hint = try store.waitForHint(until: end)
                pause = ReplicaLimits.second
                if hint == .changed {
                    signal.post(.hint)
                    // However often the folder changes, it is only looked at so often.
                    end.wait(atMost: Self.hintInterval)
                }
            } catch {
                // The transport may be gone: the next exchange finds out, and starts it again.
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
