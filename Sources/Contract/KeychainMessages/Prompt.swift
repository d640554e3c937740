package import LatchkeyCodeSignature
package import LatchkeySecretMemory
package import LatchkeyThreading

/// What a person is asked, with who asks: the texts of the program are shown as the program's own words.
package struct Prompt: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Touch the sensor. Taken away when the enclave saw a finger.
        case finger
        case passcode
        /// A password that belongs to the program's item. `isNew`: the item is just being made.
        case applicationPassword(isNew: Bool)
    }

    package var kind: Kind
    /// Application identifier or path of the executable.
    package var program: String
    /// Name and identifier of the trusted team that signed the program; nil if nobody did.
    package var team: String?
    package var level: AssuranceLevel
    /// Why, in the words of the program; empty if it gives no reason.
    package var reason: String
    /// Nil: the usual word.
    package var cancelTitle: String?
    /// Nil: the usual words. Empty: the person is offered no other way.
    package var fallbackTitle: String?
    /// What went wrong before, in our own words: "Wrong passcode; 6 tries left."
    package var notice: String?
    /// Which item or key the proof is for, in the words of the program that stored it; nil where it is for none.
    package var item: String?
    /// Which device asks, where a program uses several at once. Set by the program that shows the prompt, and not sent.
    package var device: String?

    package init(
        kind: Kind, program: String, team: String? = nil, level: AssuranceLevel = .c, reason: String,
        cancelTitle: String? = nil, fallbackTitle: String? = nil, notice: String? = nil, item: String? = nil
    ) {
        self.kind = kind
        self.program = program
        self.team = team
        self.level = level
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.notice = notice
        self.item = item
    }
}

package enum PromptAnswer: Sendable {
    case secret(SecretBox)
    /// The person does not want to.
    case cancelled
    /// The person wants the other way: the passcode instead of a finger.
    case fallback
    /// Taken away by whoever asked.
    case withdrawn
    /// The user did not answer in time.
    case timedOut
    /// The prompt could not be shown, or broke: `reason` says what happened and what to do.
    case failed(reason: String)
}

/// A way to ask a person. Calls block until there is an answer, or the cancellation is over.
package protocol PromptPort: Sendable {
    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer
}
