import LatchkeyEnclaveContract
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyThreading
import Synchronization

/// The desk for the question about locks and unlocks of the device.
final class EventDesk: Sendable {
    let watchers = ProtectedDataDesk()
    private let enclave: any EnclaveMailbox

    init(enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    /// Returns the next lock or unlock after one. Blocks until there is one or the cancellation is over.
    func ask(
        _ question: AwaitEvent, caller: Caller, until cancellation: Cancellation
    ) throws(WatchEnded) -> ProtectedDataEvent {
        watchers.heed(cancellation)
        guard let event = next(after: question.after, caller, until: cancellation) else { throw WatchEnded() }
        return event
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

    /// Handles an event that may have locked or unlocked the device.
    func lockStateMayHaveChanged() {
        watchers.lockStateMayHaveChanged { state }
    }

    func close() {
        watchers.close()
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
    private let last = Mutex<Int64?>(nil)

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
