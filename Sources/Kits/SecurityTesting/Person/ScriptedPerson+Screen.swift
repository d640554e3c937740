import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

extension ScriptedPerson: PromptPort {
    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer {
        let wait = Wait(prompt: prompt, isWanted: { !cancellation.isOver })
        change {
            $0.asked.append(AskedPrompt(prompt))
            $0.prompts.append(wait)
        }
        defer { change { $0.prompts.removeAll { $0 === wait } } }
        return self.wait(until: cancellation) { takeAnswer(for: wait, prompt) }
            ?? (cancellation.isCancelled ? .withdrawn : .timedOut)
    }

    /// With the lock held: the answer that `wait` may take now, if there is one.
    private func takeAnswer(for wait: Wait, _ prompt: Prompt) -> PromptAnswer? {
        guard !wait.isServed else { return nil }
        if prompt.kind == .finger {
            guard frontFingerPrompt === wait, let match = frontMatch else { return nil }
            if state.answers.first?.place == .sensor { return nil }
            match.isServed = true
        }
        wait.isServed = true
        guard let next = state.answers.first, next.place == .screen || next.place == Self.place(of: prompt) else {
            state.unanswered.append(
                PromptWithoutAnswer(prompt: AskedPrompt(prompt), nextAnswer: state.answers.first))
            return .withdrawn
        }
        state.answers.removeFirst()
        return answer(next)
    }

    private func answer(_ next: ScriptedAnswer) -> PromptAnswer {
        switch next {
        case .passcode(let text), .applicationPassword(let text):
            return .secret(SecretBox(copying: Array(text.utf8)))
        case .cancel:
            return .cancelled
        case .fallback:
            return .fallback
        case .timeout:
            return .timedOut
        case .fail(let code):
            state.failures.append(code)
            return .withdrawn
        case .systemCancel, .match, .mismatch, .unclear, .unplug, .busy:
            return .withdrawn
        }
    }

    private static func place(of prompt: Prompt) -> ScriptedAnswer.Place {
        switch prompt.kind {
        case .finger: .sensor
        case .passcode: .passcode
        case .applicationPassword: .applicationPassword
        }
    }
}
