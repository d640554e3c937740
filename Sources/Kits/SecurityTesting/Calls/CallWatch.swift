import Synchronization

/// The failures that a test planned for the calls of a device, a reviewer's observations about those it made, and the
/// prompts that had no answer.
final class CallWatch: Sendable {
    private struct State {
        var planned: [KeychainCall: [Int]] = [:]
        var plannedEvaluations: [Int] = []
        var observations: [Observation] = []
        var unanswered: [UnansweredPrompt] = []
        /// By application identifier.
        var trails: [String: EvaluationTrail] = [:]
        /// The same for what other devices may change.
        var remoteTrails: [String: RemoteTrail] = [:]
        weak var shared: (any SharedVersions)?
    }

    private let state = Mutex(State())
    /// The apps' use of `CommonCrypto`.
    let crypto = CryptoTrail()

    /// - Parameter status: an `OSStatus`, or the `LAError.Code` of an evaluation, by number.
    func plan(_ status: Int, for call: KeychainCall, times: Int) {
        state.withLock { $0.planned[call, default: []] += Array(repeating: status, count: max(0, times)) }
    }

    func planEvaluation(_ code: Int, times: Int) {
        state.withLock { $0.plannedEvaluations += Array(repeating: code, count: max(0, times)) }
    }

    /// The status that the next call must give, nil if it is not planned.
    func takePlanned(_ call: KeychainCall) -> Int? {
        state.withLock { state in
            if let next = state.planned[call]?.first {
                state.planned[call]?.removeFirst()
                return next
            }
            guard call == .evaluatePolicy || call == .evaluateAccessControl, !state.plannedEvaluations.isEmpty else {
                return nil
            }
            return state.plannedEvaluations.removeFirst()
        }
    }

    func note(_ observations: [Observation]) {
        state.withLock { $0.observations += observations }
    }

    /// Notes what a loop may do many times at one place.
    func noteOnce(_ observation: Observation) {
        state.withLock { state in
            let isKnown = state.observations.contains {
                $0.flaw == observation.flaw && $0.path == observation.path && $0.app == observation.app
                    && $0.place.stack == observation.place.stack
            }
            if !isKnown { state.observations.append(observation) }
        }
    }

    func note(_ unanswered: [UnansweredPrompt]) {
        state.withLock { $0.unanswered += unanswered }
    }

    /// Looks at what an app has evaluated and read, and changes it.
    func follow<R: Sendable>(_ app: String, _ body: (inout EvaluationTrail) -> sending R) -> R {
        state.withLock { body(&$0.trails[app, default: EvaluationTrail()]) }
    }

    /// Looks at what an app has read of shared items, and changes it.
    func followRemote<R: Sendable>(_ app: String, _ body: (inout RemoteTrail) -> sending R) -> R {
        state.withLock { body(&$0.remoteTrails[app, default: RemoteTrail()]) }
    }

    /// The versions of the items that the device shares; nil if it shares none.
    var shared: (any SharedVersions)? {
        get { state.withLock { $0.shared } }
        set { state.withLock { $0.shared = newValue } }
    }

    var observations: [Observation] { state.withLock { $0.observations } }
    var unanswered: [UnansweredPrompt] { state.withLock { $0.unanswered } }

    func forget() {
        state.withLock {
            $0.observations = []
            $0.trails = [:]
            $0.remoteTrails = [:]
        }
        crypto.forget()
    }
}
