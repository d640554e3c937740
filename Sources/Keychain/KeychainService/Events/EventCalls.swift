import LatchkeyEnclaveContract
import LatchkeyKeybag
package import LatchkeyKeychainMessages
import LatchkeySecretMemory
package import LatchkeyThreading
import Synchronization

extension KeychainService {
    /// The next lock or unlock after one. Blocks until there is one or the cancellation is over.
    package func perform(
        _ request: EventRequest, caller: Caller, until cancellation: Cancellation
    ) -> EventReply {
        protectedData.heed(cancellation)
        return nextEvent(after: request.after, caller, until: cancellation)
    }

    fileprivate func nextEvent(after number: Int64?, _ caller: Caller, until cancellation: Cancellation) -> EventReply {
        protectedData.next(
            after: number, processID: caller.process?.processID ?? 0, until: cancellation,
            present: { protectedDataState })
    }

    /// Follows the device in this process.
    package func watchProtectedData(_ caller: Caller) -> any ProtectedDataWatch {
        LocalWatch(service: self, caller: caller)
    }

    /// Without an enclave nothing opens.
    var protectedDataState: ProtectedDataState {
        guard let status = try? enclave.ask(AskStatus()) else { return .unavailable }
        switch status.lockState {
        case .noPasscode, .unlocked: return .available
        case .locked: return status.graceSecondsLeft == nil ? .unavailable : .becomingUnavailable
        case .beforeFirstUnlock: return .beforeFirstUnlock
        }
    }
}

private final class LocalWatch: ProtectedDataWatch {
    private let service: KeychainService
    private let caller: Caller
    private let ending = Cancellation()
    private let last = Mutex<Int64?>(nil)

    init(service: KeychainService, caller: Caller) {
        self.service = service
        self.caller = caller
        service.protectedData.heed(ending)
    }

    func next() -> ProtectedDataState? {
        guard !ending.isCancelled else { return nil }
        guard case .event(let event) = service.nextEvent(after: last.withLock { $0 }, caller, until: ending) else {
            return nil
        }
        last.withLock { $0 = event.number }
        return event.state
    }

    func end() {
        ending.cancel()
    }
}
