import LatchkeyEnclaveCore
import Synchronization

/// An authentication context of the enclave, opened when somebody needs it: most calls never do.
final class EnclaveContext: Sendable {
    private enum State {
        case unused
        case open(ContextIdentifier)
        case over
    }

    private let enclave: any EnclaveMailbox
    private let state = Mutex(State.unused)
    /// Whether a person typed the application password; one that the program set is not asked for again.
    let passwordWasTyped = Atomic(false)
    private let reuseSeconds = Mutex(0.0)

    init(enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    deinit {
        close()
    }

    /// False if the enclave knows this reuse window already.
    func setReuse(seconds: Double) -> Bool {
        reuseSeconds.withLock { known in
            defer { known = seconds }
            return known != seconds
        }
    }

    /// Nil if nobody needed it yet, or it is closed.
    var opened: ContextIdentifier? {
        state.withLock { state in
            if case .open(let identifier) = state { return identifier }
            return nil
        }
    }

    /// Takes over a context that the enclave opened for this one, and closes it with this one.
    /// - Returns: false if there is another one already; the enclave's is closed then.
    func adopt(_ identifier: ContextIdentifier) -> Bool {
        let isOwn = state.withLock { state in
            if case .unused = state { state = .open(identifier) }
            if case .open(identifier) = state { return true }
            return false
        }
        if !isOwn { _ = try? enclave.ask(CloseContext(identifier)) }
        return isOwn
    }

    func identifier() throws(Setback) -> ContextIdentifier {
        if let opened { return opened }
        switch try enclave.answer(to: OpenContext()) {
        case .opened(let made):
            let used = state.withLock { state -> ContextIdentifier? in
                switch state {
                case .unused:
                    state = .open(made)
                    return made
                case .open(let other): return other
                case .over: return nil
                }
            }
            // Somebody else opened it meanwhile, or it is over.
            if used != made { _ = try? enclave.ask(CloseContext(made)) }
            guard let used else { throw .authentication(.contextEnded) }
            return used
        case .tooMany: throw .authentication(.tooManyContexts)
        }
    }

    /// The enclave does not know it any more: it was restarted. What was proved is gone; another one can be opened.
    func forget(_ identifier: ContextIdentifier) {
        state.withLock { state in
            if case .open(identifier) = state { state = .unused }
        }
        reuseSeconds.withLock { $0 = 0 }
    }

    /// Forgets what was proved. Nothing can be proved to it afterwards.
    func close() {
        let identifier = state.withLock { state -> ContextIdentifier? in
            defer { state = .over }
            if case .open(let identifier) = state { return identifier }
            return nil
        }
        if let identifier { _ = try? enclave.ask(CloseContext(identifier)) }
    }
}
