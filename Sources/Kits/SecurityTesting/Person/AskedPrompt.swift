import LatchkeyKeychainMessages

/// A question that was put to the scripted person.
struct AskedPrompt: Sendable, Hashable {
    let kind: UnansweredPrompt.Kind
    let program: String
    let reason: String

    init(_ prompt: Prompt) {
        kind =
            switch prompt.kind {
            case .finger: .finger
            case .passcode: .passcode
            case .applicationPassword: .applicationPassword
            }
        program = prompt.program
        reason = prompt.reason
    }
}

/// One that the script has no answer for, before it is known which call asked.
struct PromptWithoutAnswer: Sendable, Hashable {
    let prompt: AskedPrompt
    let nextAnswer: ScriptedAnswer?

    func asked(by call: KeychainCall?, function: String? = nil, at place: CallSite?) -> UnansweredPrompt {
        UnansweredPrompt(
            kind: prompt.kind, program: prompt.program, reason: prompt.reason, nextAnswer: nextAnswer, call: call,
            function: function ?? call?.rawValue, callSite: place)
    }
}
