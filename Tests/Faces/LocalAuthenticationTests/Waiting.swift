import Dispatch
import LatchkeyKeychainMessages
import LocalAuthentication
import Synchronization

/// Wakes the waiting thread.
final class Signal: Sendable {
    private let semaphore = DispatchSemaphore(value: 0)

    func signal() { semaphore.signal() }
    func wait() { semaphore.wait() }
}

/// The arguments of a reply.
struct Outcome: Sendable {
    let isFulfilled: Bool
    let error: (any Error)?

    var code: LAError.Code? { (error as? LAError)?.code }
}

/// Replies to come, and those that came.
final class Replies: Sendable {
    private let outcomes = Mutex<[Outcome]>([])
    private let stream = AsyncStream.makeStream(of: Outcome.self)

    var all: [Outcome] { outcomes.withLock { $0 } }

    /// A reply closure that reports here.
    var closure: @Sendable (Bool, (any Error)?) -> Void {
        { isFulfilled, error in
            let outcome = Outcome(isFulfilled: isFulfilled, error: error)
            self.outcomes.withLock { $0.append(outcome) }
            self.stream.continuation.yield(outcome)
        }
    }

    /// The next reply. One caller at a time.
    func next() async -> Outcome {
        for await outcome in stream.stream { return outcome }
        return Outcome(isFulfilled: false, error: nil)
    }
}

/// A context that says when it goes away.
final class MortalContext: LAContext {
    private let whenGone: @Sendable () -> Void

    init(whenGone: @escaping @Sendable () -> Void) {
        self.whenGone = whenGone
        super.init()
    }

    deinit { whenGone() }
}

extension Refusal {
    static let forTests = Refusal(ruleName: "for-tests", reason: "What happened.", advice: "What to do.")
}

/// False, then true.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isSet: Bool { value.load(ordering: .sequentiallyConsistent) }

    func set() { value.store(true, ordering: .sequentiallyConsistent) }
}
