import LatchkeyEnclaveContract
import LatchkeyPropertyListDER

/// The settings of a program for prompts.
package struct Interaction: Sendable, Hashable {
    /// False if a call that requires a prompt fails instead (`interactionNotAllowed`).
    package var isAllowed: Bool
    package var reason: String
    /// Nil for the default text.
    package var cancelTitle: String?
    package var fallbackTitle: String?
    /// The time in seconds for which an unlock of the device by finger counts as a match, 0 to 300.
    package var reuseSeconds: Double

    package init(
        isAllowed: Bool = true, reason: String = "", cancelTitle: String? = nil, fallbackTitle: String? = nil,
        reuseSeconds: Double = 0
    ) {
        self.isAllowed = isAllowed
        self.reason = reason
        self.cancelTitle = cancelTitle
        self.fallbackTitle = fallbackTitle
        self.reuseSeconds = reuseSeconds
    }
}

extension MessageCoding {
    /// UTF-8 bytes of one text of a program that a person is shown. Longer ones are refused.
    package static let interactionTextByteCount = 4096

    static func value(of interaction: Interaction) -> PropertyValue {
        .array([
            .boolean(interaction.isAllowed), .string(interaction.reason),
            interaction.cancelTitle.map { .string($0) } ?? .null,
            interaction.fallbackTitle.map { .string($0) } ?? .null,
            .integer(milliseconds(interaction.reuseSeconds)),
        ])
    }

    /// Within what the enclave grants, whatever a program wrote there.
    private static func milliseconds(_ seconds: Double) -> Int64 {
        guard seconds > 0 else { return 0 }
        return Int64((min(seconds, EnclaveLimits.reuseSeconds) * 1000).rounded())
    }

    static func interaction(_ fields: inout MessageFields) throws(MessageCodingFailure) -> Interaction {
        guard var part = try fields.part("interaction") else { throw .fieldMissing("interaction") }
        return try interaction(inPart: &part)
    }

    static func interaction(inPart part: inout MessageFields) throws(MessageCodingFailure) -> Interaction {
        let isAllowed = try part.boolean("interaction allowed")
        let reason = try part.text("reason")
        let cancelTitle = try part.optionalText("cancel title")
        let fallbackTitle = try part.optionalText("fallback title")
        let milliseconds = try part.integer("reuse")
        try part.finish()
        for text in [reason, cancelTitle ?? "", fallbackTitle ?? ""] where text.utf8.count > interactionTextByteCount {
            throw .tooMany(field: "text for a person", found: text.utf8.count, limit: interactionTextByteCount)
        }
        let longest = Int64(EnclaveLimits.reuseSeconds * 1000)
        guard (0...longest).contains(milliseconds) else { throw .badField("reuse") }
        return Interaction(
            isAllowed: isAllowed, reason: reason, cancelTitle: cancelTitle, fallbackTitle: fallbackTitle,
            reuseSeconds: Double(milliseconds) / 1000)
    }
}

extension FieldWriter {
    mutating func interaction(_ interaction: Interaction) {
        value(MessageCoding.value(of: interaction))
    }
}

extension MessageFields {
    mutating func interaction() throws(MessageCodingFailure) -> Interaction {
        try MessageCoding.interaction(&self)
    }
}
