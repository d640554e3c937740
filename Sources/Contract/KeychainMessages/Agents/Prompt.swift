package import LatchkeyCodeSignature
import LatchkeyPropertyListDER
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

/// An output for prompts. Calls block until the user answers, or the cancellation is over.
package protocol PromptPort: Sendable {
    func ask(_ prompt: Prompt, until cancellation: Cancellation) -> PromptAnswer
}

private enum KindNumber: Int64 {
    case finger = 1
    case passcode = 2
    case applicationPassword = 3
    case newApplicationPassword = 4

    init(_ kind: Prompt.Kind) {
        self =
            switch kind {
            case .finger: .finger
            case .passcode: .passcode
            case .applicationPassword(isNew: false): .applicationPassword
            case .applicationPassword(isNew: true): .newApplicationPassword
            }
    }

    var kind: Prompt.Kind {
        switch self {
        case .finger: .finger
        case .passcode: .passcode
        case .applicationPassword: .applicationPassword(isNew: false)
        case .newApplicationPassword: .applicationPassword(isNew: true)
        }
    }
}

extension FieldWriter {
    mutating func prompt(_ prompt: Prompt) {
        var part = FieldWriter(KindNumber(prompt.kind).rawValue)
        part.text(prompt.program)
        part.optionalText(prompt.team)
        part.text(prompt.level.rawValue)
        part.text(prompt.reason)
        part.optionalText(prompt.cancelTitle)
        part.optionalText(prompt.fallbackTitle)
        part.optionalText(prompt.notice)
        part.optionalText(prompt.item)
        value(.array(part.values))
    }
}

extension MessageFields {
    mutating func prompt() throws(MessageCodingFailure) -> Prompt {
        guard var part = try part("prompt") else { throw .fieldMissing("prompt") }
        guard let number = KindNumber(rawValue: try part.integer("kind")) else { throw .badField("kind") }
        let program = try part.text("program")
        let team = try part.optionalText("team")
        let prompt = Prompt(
            kind: number.kind, program: program, team: team, level: try part.level("level"),
            reason: try part.text("reason"), cancelTitle: try part.optionalText("cancel title"),
            fallbackTitle: try part.optionalText("fallback title"), notice: try part.optionalText("notice"),
            item: try part.optionalText("item"))
        try part.finish()
        return prompt
    }
}
