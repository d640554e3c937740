import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization

/// What the service keeps for one authentication context of a program: what the person proved to it, and what is under
/// way for it. A daemon has one for each connection.
package final class ServiceSession: Sendable {
    /// Runs the body, and calls the first argument from another thread if the program goes away meanwhile.
    package typealias Watch = @Sendable (_ onHangUp: @escaping @Sendable () -> Void, _ body: () -> Void) -> Void

    private struct State {
        var isOver = false
        var underWay: [ObjectIdentifier: Cancellation] = [:]
        /// Given by the program in place of a prompt; used once.
        var passcode: SecretBox?
    }

    let context: EnclaveContext
    private let watch: Watch?
    private let hasHungUp: (@Sendable () -> Bool)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - watch: nil where the program cannot go away without this process.
    ///   - hasHungUp: whether the program has gone away; asked now and then during long work.
    package init(
        service: KeychainService, hasHungUp: (@Sendable () -> Bool)? = nil, watch: Watch? = nil
    ) {
        context = EnclaveContext(enclave: service.enclave)
        self.hasHungUp = hasHungUp
        self.watch = watch
    }

    /// Forgets what was proved. What is under way ends as cancelled by the program.
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

    /// The program no longer waits for an answer.
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

    /// Runs a wait for a person that ends when the session does, or when the program goes away.
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
