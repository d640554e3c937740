import Synchronization

/// The last steps of a laboratory.
final class LaboratoryLog: Sendable {
    private struct State {
        var now = Duration.zero
        var steps: [SyncLaboratory.Step] = []
        var count = 0
    }

    private let state = Mutex(State())
    /// The number of steps that a failure shows.
    private static let limit = 20

    /// The virtual time since the laboratory was made.
    var now: Duration {
        get { state.withLock { $0.now } }
        set { state.withLock { $0.now = newValue } }
    }

    func note(_ text: String, of device: String? = nil) {
        state.withLock { state in
            if state.steps.count == Self.limit { state.steps.removeFirst() }
            state.steps.append(SyncLaboratory.Step(time: state.now, device: device, text: text))
            state.count += 1
        }
    }

    var steps: [SyncLaboratory.Step] { state.withLock { $0.steps } }
    /// The number of all steps, those that are forgotten among them.
    var count: Int { state.withLock { $0.count } }
}

extension SyncLaboratory {
    /// A thing that a device, the network or the test did.
    public struct Step: Sendable, Hashable, CustomStringConvertible {
        /// The virtual time since the laboratory was made.
        public let time: Duration
        /// The name of the device; nil for what the network or the test did.
        public let device: String?
        /// Words for people. The text is not part of the interface.
        public let text: String

        public var description: String { "\(time) \(device.map { "\($0) " } ?? "")\(text)" }
    }

    /// The last twenty steps, for the message of a test that fails. A ``settle()`` that fails shows them.
    public var lastSteps: [Step] { log.steps }
}
