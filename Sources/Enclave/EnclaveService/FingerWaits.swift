import LatchkeyEnclaveContract
import LatchkeyThreading

/// The current waits for a finger, by the owners that may end them.
final class FingerWaits: Sendable {
    enum Owner: Sendable, Hashable {
        case context(ContextIdentifier)
        case unlock
    }

    private struct Waits {
        var next: UInt64 = 0
        var running: [UInt64: (owner: Owner, cancellation: Cancellation)] = [:]
    }

    private let waits = ForkMutex(Waits())

    func begin(_ cancellation: Cancellation, of owner: Owner) -> UInt64 {
        waits.withLock { waits in
            waits.next += 1
            waits.running[waits.next] = (owner, cancellation)
            return waits.next
        }
    }

    /// Ends a wait. Returns false if it was cancelled before; its result must then be discarded.
    func end(_ number: UInt64) -> Bool {
        waits.withLock { $0.running.removeValue(forKey: number) != nil }
    }

    /// Cancels the waits of an owner; nil cancels all.
    func cancel(of owner: Owner?) {
        let ended = waits.withLock { waits in
            let numbers = waits.running.filter { owner == nil || $0.value.owner == owner }.map(\.key)
            return numbers.compactMap { waits.running.removeValue(forKey: $0)?.cancellation }
        }
        for cancellation in ended { cancellation.cancel() }
    }
}
