import LatchkeyEnclaveContract
import LatchkeyKeychainMessages
import LatchkeyThreading
import LocalAuthentication

/// The owner of a virtual device, who does what the test wrote down: one queue of answers, at the sensor and at the
/// screen.
///
/// While a finger is waited for, two threads wait: one at the sensor, one that shows the prompt. Neither takes an answer
/// before both are there; then the next answer decides which of them ends, and the other one waits for its cancellation.
final class ScriptedPerson: @unchecked Sendable {
    // Sendable because `state` is touched with the lock of `turn` held only.
    let turn = WaitCondition()
    var state: State

    init(entropy: SeededEntropy) {
        state = State(sensor: VirtualSensor(entropy: entropy))
    }

    /// Touched with the lock held only.
    struct State {
        var answers: [ScriptedAnswer] = []
        /// Touches of the owner to unlock the device, which no app asks for.
        var touches: [Finger] = []
        var sensor: VirtualSensor
        var sensorState = SensorState.ready
        var prompts: [Wait] = []
        var matches: [Wait] = []
        var asked: [AskedPrompt] = []
        var unanswered: [PromptWithoutAnswer] = []
        var failures: [LAError.Code] = []
    }

    /// One thread that waits at the sensor or at a prompt.
    final class Wait {
        /// Nil at the sensor.
        let prompt: Prompt?
        /// False if it waits for a program that went away.
        let isWanted: () -> Bool
        /// It has its answer, or the other side of the pair has: then only the cancellation ends it.
        var isServed = false

        init(prompt: Prompt?, isWanted: @escaping () -> Bool) {
            self.prompt = prompt
            self.isWanted = isWanted
        }
    }
}

extension ScriptedPerson {
    func script(_ answers: [ScriptedAnswer]) {
        change { $0.answers += answers }
    }

    /// Answers that no prompt has taken yet.
    var unusedAnswers: [ScriptedAnswer] { change { $0.answers } }

    /// Forgets the answers that are left.
    func forgetScript() {
        change { $0.answers = [] }
    }

    /// The owner's finger for the next wait at the sensor.
    func touch(_ finger: Finger) {
        change { $0.touches.append(finger) }
    }

    func forgetTouches() {
        change { $0.touches = [] }
    }

    func set(_ sensorState: SensorState) {
        change { $0.sensorState = sensorState }
    }

    /// Takes the prompts that a program caused since the last call.
    func takeAsked(by program: String) -> [AskedPrompt] {
        change { state in
            let taken = state.asked.filter { $0.program == program }
            state.asked.removeAll { $0.program == program }
            return taken
        }
    }

    /// Questions of a program without an answer since the last time.
    func takeUnanswered(by program: String) -> [PromptWithoutAnswer] {
        change { state in
            let taken = state.unanswered.filter { $0.prompt.program == program }
            state.unanswered.removeAll { $0.prompt.program == program }
            return taken
        }
    }

    /// Questions without an answer that no call has been found for.
    var unanswered: [PromptWithoutAnswer] { change { $0.unanswered } }

    /// The code of a ``ScriptedAnswer/fail(_:)`` that was taken, once.
    func takeFailure() -> LAError.Code? {
        change { $0.failures.isEmpty ? nil : $0.failures.removeFirst() }
    }

    func change<R>(_ body: (inout State) -> R) -> R {
        turn.withLock {
            defer { turn.wakeAll() }
            return body(&state)
        }
    }

    /// Waits until `take`, which is asked with the lock held, gives something; nil when the cancellation is over.
    func wait<Answer>(until cancellation: Cancellation, _ take: () -> Answer?) -> Answer? {
        // With the lock, so that it does not come between a look and its wait.
        cancellation.whenCancelled { [turn] in turn.withLock { turn.wakeAll() } }
        return turn.withLock {
            while !cancellation.isOver {
                if let answer = take() {
                    turn.wakeAll()
                    return answer
                }
                guard let seconds = cancellation.secondsLeft else {
                    turn.wait()
                    continue
                }
                _ = turn.wait(until: .init(afterNanoseconds: Int(min(seconds, 3600) * 1_000_000_000)))
            }
            return nil
        }
    }
}
