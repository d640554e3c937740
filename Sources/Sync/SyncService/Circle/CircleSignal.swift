internal import LatchkeyKeychainMessages
internal import LatchkeySyncStore
internal import LatchkeyThreading

/// A store whose hints matter.
final class WatchedStore: Sendable {
    let store: any SyncStore

    init(_ store: any SyncStore) {
        self.store = store
    }
}

/// The part of a circle that the worker shares with others.
struct CircleState: Equatable {
    /// Grows with everything that this device stores or writes for the circle.
    var progress: UInt64 = 0
    var remoteChanges: UInt64 = 0
    var isSettled = true
    /// The uptime at which there is something to do, in microseconds. Nil if nothing waits for a time.
    var wakesAt: UInt64?
    var watched: WatchedStore?

    static func == (left: Self, right: Self) -> Bool {
        left.progress == right.progress && left.remoteChanges == right.remoteChanges
            && left.isSettled == right.isSettled && left.wakesAt == right.wakesAt && left.watched === right.watched
    }
}

/// Signals between the threads of a circle, and to callers that wait.
final class CircleSignal: @unchecked Sendable {
    // Sendable because everything that changes does so under the condition's lock.
    private let condition = WaitCondition()
    private var causes = CircleCauses()
    private var pace = CirclePace()
    /// The work since the circle was at rest, in microseconds.
    private var worked: UInt64 = 0
    private var isClosed = false
    private var known = SyncProgress(number: 0, remoteChanges: 0, isSettled: true)
    private var state = CircleState()
    /// Ended when another store is to be watched.
    private var watching: Cancellation?

    func post(_ cause: CircleCauses) {
        condition.withLock {
            // Programs that write post one change after the other, and the worker pauses meanwhile.
            guard !causes.isSuperset(of: cause) else { return }
            causes.formUnion(cause)
            condition.wakeAll()
        }
    }

    func close() {
        let end = condition.withLock { () -> Cancellation? in
            isClosed = true
            condition.wakeAll()
            return watching
        }
        end?.cancel()
    }

    /// Makes known what the circle has become.
    func publish(_ new: CircleState) {
        let end = condition.withLock { () -> Cancellation? in
            let former = state
            state = new
            guard former != new else { return nil }
            if former.progress != new.progress || former.isSettled != new.isSettled {
                known = SyncProgress(
                    number: known.number + 1, remoteChanges: Int64(clamping: new.remoteChanges),
                    isSettled: new.isSettled)
            }
            condition.wakeAll()
            guard former.watched !== new.watched else { return nil }
            defer { watching = nil }
            return watching
        }
        end?.cancel()
    }

    /// Waits for a cause to work, or the time for it. Nil when closed.
    /// - Parameter uptime: returns the present uptime, in microseconds.
    func next(_ uptime: () -> UInt64) -> CircleCauses? {
        condition.withLock {
            while !isClosed, !causes.contains(.keys) {
                let now = uptime()
                if let time = state.wakesAt, time <= now { break }
                let pause = causes.isEmpty ? nil : pace.pause(at: now)
                guard pause != 0 else { break }
                guard let wait = [state.wakesAt.map { $0 - now }, pause].compactMap({ $0 }).min() else {
                    condition.wait()
                    continue
                }
                _ = condition.wait(until: .init(afterNanoseconds: Int(clamping: min(wait, Self.longest)) * 1_000))
            }
            defer { causes = [] }
            return isClosed ? nil : causes
        }
    }

    /// Notes that the worker has worked and has published what came of it. Uptimes in microseconds.
    ///
    /// - Returns: true if work that took long has come to its end. Programs that write all the time have work done again and again, and
    ///   each time it is short.
    func note(workFrom start: UInt64, to end: UInt64) -> Bool {
        condition.withLock {
            pace.note(workFrom: start, to: end)
            worked += end - min(start, end)
            guard state.isSettled else { return false }
            defer { worked = 0 }
            return worked >= Self.longWork
        }
    }

    /// A second, in microseconds: as for a thousand items.
    private static let longWork: UInt64 = 1_000_000
    /// An hour, in microseconds.
    private static let longest: UInt64 = 3_600_000_000

    /// Returns the store that is to be watched, and the end of the wait; waits until there is one. Nil when closed.
    func store() -> (any SyncStore, Cancellation)? {
        condition.withLock {
            while state.watched == nil, !isClosed { condition.wait() }
            guard !isClosed, let watched = state.watched else { return nil }
            let end = Cancellation()
            watching = end
            return (watched.store, end)
        }
    }

    func progress(after number: Int64?, until end: Cancellation) -> SyncProgress {
        condition.wakeAll(when: end)
        return condition.withLock {
            while let number, known.number == number, !isClosed, !end.isOver { condition.wait(until: end) }
            return known
        }
    }
}
