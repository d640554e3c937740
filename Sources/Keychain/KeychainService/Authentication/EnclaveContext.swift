import LatchkeyEnclaveContract
import LatchkeyThreading

import struct Synchronization.Atomic

/// An authentication context of the enclave. It is opened when it is first needed, and most calls never need it.
final class EnclaveContext: Sendable {
    private enum State {
        case unused
        case open(ContextIdentifier)
        case over
    }

    private let enclave: any EnclaveMailbox
    private let state = ForkMutex(State.unused)
    /// True if the user typed the application password. A password that the program set is not prompted for again.
    let passwordWasTyped = Atomic(false)
    private let reuseSeconds = ForkMutex(0.0)

    init(enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    deinit {
        close()
    }

    /// Sets the reuse window. Returns false if the enclave knows it already.
    func setReuse(seconds: Double) -> Bool {
        reuseSeconds.withLock { known in
            defer { known = seconds }
            return known != seconds
        }
    }

    /// Nil if the context was not needed yet, or is closed.
    var opened: ContextIdentifier? {
        state.withLock { state in
            if case .open(let identifier) = state { return identifier }
            return nil
        }
    }

    /// Takes over a context that the enclave opened for this one. It is closed together with this one.
    /// - Returns: false if this one has another context already; the new one is closed then.
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
            // Another thread has opened it meanwhile, or it is over.
            if used != made { _ = try? enclave.ask(CloseContext(made)) }
            guard let used else { throw .authentication(.contextEnded) }
            return used
        case .tooMany: throw .authentication(.tooManyContexts)
        }
    }

    /// Forgets a context that the enclave lost in a restart. Its evidence is gone; another context can be opened.
    func forget(_ identifier: ContextIdentifier) {
        state.withLock { state in
            if case .open(identifier) = state { state = .unused }
        }
        reuseSeconds.withLock { $0 = 0 }
    }

    /// Closes the context and forgets its evidence. It cannot get evidence afterwards.
    func close() {
        let identifier = state.withLock { state -> ContextIdentifier? in
            defer { state = .over }
            if case .open(let identifier) = state { return identifier }
            return nil
        }
        if let identifier { _ = try? enclave.ask(CloseContext(identifier)) }
    }
}
