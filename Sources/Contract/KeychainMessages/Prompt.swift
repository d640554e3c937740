package import LatchkeyCodeSignature
package import LatchkeySecretMemory
package import LatchkeyThreading

/// A prompt for the user, with the program that caused it. The program's texts are shown as quotations.
package struct Prompt: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Asks the user to touch the sensor. Withdrawn when the enclave has seen a finger.
        case finger
        case passcode
        /// Asks for the password of the program's item. `isNew` is true if the item is being created.
        case applicationPassword(isNew: Bool)
    }

    package var kind: Kind
    /// The application identifier, or the path of the executable.
    package var program: String
    /// The name and identifier of the trusted team that signed the program; nil if there is none.
    package var team: String?
    package var level: AssuranceLevel
    /// The reason that the program gives; empty if it gives none.
    package var reason: String
    /// Nil for the default title.
    package var cancelTitle: String?
    /// Nil for the default title. Empty if no fallback is offered.
    package var fallbackTitle: String?
    /// A message of the device about the previous try: "Wrong passcode; 6 tries left."
    package var notice: String?
    /// The item or key that requires the authentication, as the program that stored it names it; nil if there is none.
    package var item: String?
    /// The device that prompts, if a program uses several at once. The program that shows the prompt sets it; it is not
    /// sent.
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
    /// The user cancelled the prompt.
    case cancelled
    /// The user chose the fallback: the passcode instead of a finger.
    case fallback
    /// The caller withdrew the prompt.
    case withdrawn
    /// The user did not answer in time.
    case timedOut
    /// The prompt could not be shown, or failed. `reason` says what happened and what to do.
    case failed(reason: String)
}

/// An output for prompts. Calls block until the user answers, or the cancellation is over.
package protocol PromptPort: Sendable {
    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer
}
