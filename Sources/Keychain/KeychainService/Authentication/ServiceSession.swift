import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// The service's state for one authentication context of a program: its evidence, and the waits in progress. A daemon
/// has one session for each connection.
package final class ServiceSession: Sendable {
    /// A function that runs the body, and calls its first argument from another thread if the program goes away
    /// meanwhile.
    package typealias Watch = @Sendable (_ onHangUp: @escaping @Sendable () -> Void, _ body: () -> Void) -> Void

    private struct State {
        var isOver = false
        var underWay: [ObjectIdentifier: Cancellation] = [:]
        /// Given by the program instead of a prompt; used once.
        var passcode: SecretBox?
    }

    let context: EnclaveContext
    private let watch: Watch?
    private let hasHungUp: (@Sendable () -> Bool)?
    private let state = ForkMutex(State())

    /// - Parameters:
    ///   - watch: nil if the program cannot go away without this process.
    ///   - hasHungUp: returns true if the program has gone away; called now and then during long work.
    package init(
        service: KeychainService, hasHungUp: (@Sendable () -> Bool)? = nil, watch: Watch? = nil
    ) {
        context = EnclaveContext(enclave: service.person.enclave)
        self.hasHungUp = hasHungUp
        self.watch = watch
    }

    /// Forgets the evidence. Waits in progress end as cancelled by the program.
    package func end() {
        let underWay = state.withLock { state in
            state.isOver = true
            state.passcode = nil
            return Array(state.underWay.values)
        }
        for cancellation in underWay { cancellation.cancel() }
        context.close()
    }

    var isOver: Bool { state.withLock { $0.isOver } }

    /// True if the program no longer waits for an answer.
    var isAbandoned: Bool { isOver || hasHungUp?() ?? false }

    func keep(passcode: SecretBox?) {
        state.withLock { $0.passcode = $0.isOver ? nil : passcode }
    }

    var hasPasscode: Bool { state.withLock { $0.passcode != nil } }

    func takePasscode() -> SecretBox? {
        state.withLock { state in
            defer { state.passcode = nil }
            return state.passcode
        }
    }

    /// Runs a wait for the user that ends with the session, or when the program goes away.
    func whileAsking<R>(_ cancellation: Cancellation, _ body: () -> R) -> R {
        let key = ObjectIdentifier(cancellation)
        let isOver = state.withLock { state in
            if !state.isOver { state.underWay[key] = cancellation }
            return state.isOver
        }
        if isOver { cancellation.cancel() }
        defer { state.withLock { _ = $0.underWay.removeValue(forKey: key) } }
        guard let watch else { return body() }
        var result: R?
        watch({ cancellation.cancel() }, { result = body() })
        guard let result else { return body() }
        return result
    }
}
