public import Foundation
import LatchkeyCertificates
import LatchkeyThreading

/// Certificates to evaluate, the policies for it, and the result. Sendable because all that changes is behind a lock.
public final class SecTrust: NSObject, @unchecked Sendable {
    static let registration = RegisteredClass(SecTrust.self, name: "SecTrust")
    /// First of all stored properties: see ``RegisteredClass``.
    private let infoWord: UInt64 = SecTrust.registration.infoWord

    private struct State {
        var settings: TrustSettings
        /// Nil: something was set since.
        var evaluated: EvaluatedTrust?
        /// Counts the settings, so that a result of old ones is not kept.
        var generation = 0
    }

    private let state: ForkMutex<State>

    /// - Parameter certificates: at least the leaf, which is first.
    init(certificates: [SecCertificate], policies: [SecPolicy]) {
        precondition(!certificates.isEmpty, "a trust has a leaf")
        state = ForkMutex(State(settings: TrustSettings(certificates: certificates, policies: policies)))
        super.init()
    }

    var settings: TrustSettings { state.withLock { $0.settings } }

    var leaf: SecCertificate { settings.certificates[0] }

    /// Changes a setting of the next evaluation and discards the last result.
    func set(_ change: (inout TrustSettings) -> Void) {
        state.withLock { state in
            change(&state.settings)
            state.evaluated = nil
            state.generation += 1
        }
    }

    /// The result of the last evaluation, if nothing was set since.
    var lastResult: SecTrustResultType { state.withLock { $0.evaluated?.result ?? .invalid } }

    /// Returns the result and evaluates if there is none. Blocks meanwhile, but not while other threads set something.
    func evaluated() -> EvaluatedTrust {
        let (settings, generation, known) = state.withLock { ($0.settings, $0.generation, $0.evaluated) }
        if let known { return known }
        let evaluated = settings.evaluated(now: Date().timeIntervalSinceReferenceDate)
        state.withLock { state in
            if state.generation == generation { state.evaluated = evaluated }
        }
        return evaluated
    }

    override public var description: String { "<SecTrust \(leaf.certificate.summary ?? "without a name")>" }
}
