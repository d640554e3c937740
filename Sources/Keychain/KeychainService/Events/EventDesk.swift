import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyThreading

/// The desk for the questions about locks and unlocks of the device and about changes of its items.
final class EventDesk: Sendable {
    let watchers = ProtectedDataDesk()
    let items: ItemChangeDesk
    private let enclave: any EnclaveMailbox

    init(enclave: any EnclaveMailbox, clock: any DeviceClock) {
        self.enclave = enclave
        items = ItemChangeDesk(clock: clock)
    }

    /// Returns the next lock or unlock after one. Blocks until there is one or the cancellation is over.
    func ask(
        _ question: AwaitEvent, caller: Caller, until cancellation: Cancellation
    ) throws(WatchEnded) -> ProtectedDataEvent {
        watchers.heed(cancellation)
        guard let event = next(after: question.after, caller, until: cancellation) else { throw WatchEnded() }
        return event
    }

    /// Returns the count of the caller's changes as soon as it differs from the known one. Blocks until then, for at most the seconds of
    /// the question.
    func ask(
        _ question: AwaitItemChange, caller: Caller, pace: inout ItemChangePace, until cancellation: Cancellation
    ) throws(ItemWatchEnded) -> ItemChangeCount {
        items.heed(cancellation)
        return try items.count(after: question.known, for: caller, pace: &pace, until: cancellation)
    }

    fileprivate func next(
        after number: Int64?, _ caller: Caller, until cancellation: Cancellation
    ) -> ProtectedDataEvent? {
        watchers.next(
            after: number, processID: caller.process?.processID ?? 0, until: cancellation, present: { state })
    }

    /// Follows the device in this process.
    func watch(for caller: Caller) -> any ProtectedDataWatch {
        LocalWatch(desk: self, caller: caller)
    }

    /// Follows the items in this process.
    func watchItems(for caller: Caller) -> any ItemWatch {
        LocalItemWatch(desk: items, caller: caller)
    }

    /// Handles an event that may have locked or unlocked the device, or moved its clock.
    func lockStateMayHaveChanged() {
        items.clockMayHaveMoved()
        watchers.lockStateMayHaveChanged { state }
    }

    func close() {
        watchers.close()
        items.close()
    }

    /// Without an enclave nothing opens.
    private var state: ProtectedDataState {
        guard let status = try? enclave.ask(AskStatus()) else { return .unavailable }
        switch status.lockState {
        case .noPasscode, .unlocked: return .available
        case .locked: return status.graceSecondsLeft == nil ? .unavailable : .becomingUnavailable
        case .beforeFirstUnlock: return .beforeFirstUnlock
        }
    }
}

private final class LocalWatch: ProtectedDataWatch {
    private let desk: EventDesk
    private let caller: Caller
    private let ending = Cancellation()
    private let last = ForkMutex<Int64?>(nil)

    init(desk: EventDesk, caller: Caller) {
        self.desk = desk
        self.caller = caller
        desk.watchers.heed(ending)
    }

    func next() -> ProtectedDataState? {
        guard !ending.isCancelled else { return nil }
        guard let event = desk.next(after: last.withLock { $0 }, caller, until: ending) else { return nil }
        last.withLock { $0 = event.number }
        return event.state
    }

    func end() {
        ending.cancel()
    }
}

private final class LocalItemWatch: ItemWatch {
    private struct State {
        var known: ItemChangeCount?
        var pace = ItemChangePace()
    }

    private let desk: ItemChangeDesk
    private let caller: Caller
    private let ending = Cancellation()
    private let state = ForkMutex(State())

    init(desk: ItemChangeDesk, caller: Caller) {
        self.desk = desk
        self.caller = caller
        desk.heed(ending)
    }

    func begin() {
        _ = count(after: nil)
    }

    func next() -> Bool {
        if state.withLock({ $0.known == nil }) { begin() }
        guard let known = state.withLock({ $0.known }), let count = count(after: known) else { return false }
        return !ending.isCancelled && count != known
    }

    func end() {
        ending.cancel()
    }

    /// Waits without the lock: only one thread at a time uses a watch.
    private func count(after known: ItemChangeCount?) -> ItemChangeCount? {
        var pace = state.withLock { $0.pace }
        let count = try? desk.count(after: known, for: caller, pace: &pace, until: ending)
        state.withLock { state in
            state.pace = pace
            state.known = count ?? state.known
        }
        return count
    }
}
