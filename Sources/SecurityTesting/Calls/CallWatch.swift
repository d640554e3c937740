import Synchronization

/// What a test planned for the calls of a device, and what a reviewer would say about those it made.
final class CallWatch: Sendable {
    private struct State {
        var planned: [KeychainCall: [Int32]] = [:]
        var observations: [Observation] = []
    }

    private let state = Mutex(State())

    func plan(_ status: Int32, for call: KeychainCall, times: Int) {
        state.withLock { $0.planned[call, default: []] += Array(repeating: status, count: max(0, times)) }
    }

    /// The status that the next call must give, nil if it is not planned.
    func takePlanned(_ call: KeychainCall) -> Int32? {
        state.withLock { state in
            guard let next = state.planned[call]?.first else { return nil }
            state.planned[call]?.removeFirst()
            return next
        }
    }

    func note(_ observations: [Observation]) {
        state.withLock { $0.observations += observations }
    }

    var observations: [Observation] { state.withLock { $0.observations } }

    func forget() {
        state.withLock { $0.observations = [] }
    }
}
