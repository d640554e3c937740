import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization

/// An act of a person when a prompt appears: one step for each prompt.
enum Step: Sendable {
    /// Touches the reader, and leaves the prompt alone.
    case touch(SensorEvent)
    case type(String)
    case answer(PromptAnswer)
    /// Does something else and waits until the prompt is taken away.
    case leave(@Sendable () -> Void)

    static let match = Step.touch(.matched(.rightIndex))
    static let miss = Step.touch(.notMatched)
    static let cancel = Step.answer(.cancelled)
    static let fallback = Step.answer(.fallback)
}

/// A person who follows a script, and remembers every prompt.
final class ScriptedPerson: PromptPort {
    private struct State {
        var steps: [Step] = []
        var prompts: [Prompt] = []
        var open = 0
        var mostOpen = 0
        var takenAway = 0
    }

    private let state = Mutex(State())
    private let sensor: TouchSensor

    init(_ sensor: TouchSensor) {
        self.sensor = sensor
    }

    func will(_ steps: [Step]) {
        state.withLock { $0.steps += steps }
    }

    func will(_ steps: Step...) {
        will(steps)
    }

    var prompts: [Prompt] { state.withLock { $0.prompts } }
    var stepsLeft: Int { state.withLock { $0.steps.count } }
    /// Most prompts that were there at the same time.
    var mostAtOnce: Int { state.withLock { $0.mostOpen } }
    /// Prompts that ended because they were cancelled.
    var takenAway: Int { state.withLock { $0.takenAway } }

    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        let step = state.withLock { state in
            state.prompts.append(prompt)
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
            return state.steps.isEmpty ? nil : state.steps.removeFirst()
        }
        defer { state.withLock { $0.open -= 1 } }
        switch step {
        case nil: return .failed(reason: "no step expected this prompt")
        case .answer(let answer)?: return answer
        case .type(let text)?: return .secret(SecretBox(copying: Array(text.utf8)))
        case .touch(let event)?: sensor.touch(event)
        case .leave(let action)?: action()
        }
        cancellation.wait()
        state.withLock { $0.takenAway += cancellation.isCancelled ? 1 : 0 }
        return .withdrawn
    }
}
