import Synchronization

extension VirtualDevice {
    /// Appends the user's answers to the device's next prompts, in this order. Each prompt takes one answer.
    ///
    /// ```swift
    /// device.script(.mismatch, .match(.rightIndex))
    /// ```
    public func script(_ answers: ScriptedAnswer...) {
        person.script(answers)
    }

    public func script(_ answers: [ScriptedAnswer]) {
        person.script(answers)
    }

    /// Answers of the script that no prompt has taken.
    public var unusedAnswers: [ScriptedAnswer] { person.unusedAnswers }

    /// Forgets ``unusedAnswers``.
    public func forgetScript() {
        person.forgetScript()
    }

    /// Questions that the script had no answer for. Each made the running test fail, and ended as if the system had taken
    /// it away.
    public var unansweredPrompts: [UnansweredPrompt] {
        calls.unanswered + person.unanswered.map { $0.asked(by: nil, at: nil) }
    }

    /// Plugs the fingerprint reader in or out, or lets another program use it. Enrolled fingers stay.
    public func setSensor(_ state: SensorState) {
        person.set(state)
    }
}
