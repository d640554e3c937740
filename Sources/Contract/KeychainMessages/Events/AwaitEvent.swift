import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Waits for the first event after a given one, or asks for the present state. The answer comes when there is such an
/// event, however late: a watch sends one question for each event and does not poll.
package struct AwaitEvent: KeychainQuestion, Hashable {
    package typealias Answer = ProtectedDataEvent
    package typealias Failure = WatchEnded

    package static let traits: KeychainTraits = []

    /// Nil to get the present state at once.
    package let after: Int64?

    package init(after: Int64?) {
        self.after = after
    }

    // The only question of its kind: it has no number.
    package var message: WireMessage {
        var writer = FieldWriter()
        writer.optionalInteger(after)
        return MessageCoding.message(Failure.questionKind, writer.values)
    }

    /// Where there will be no event, the message has no fields.
    package static func answer(
        in message: WireMessage
    ) throws(MessageCodingFailure) -> Result<ProtectedDataEvent, WatchEnded> {
        let fields = try MessageCoding.fields(
            of: message.body, secrets: message.secrets, expected: Failure.answerKind)
        guard fields.hasMore else { return .failure(WatchEnded()) }
        return try MessageCoding.decodeAnswer(to: Self.self, body: message.body, secrets: message.secrets)
    }
}

extension MessageCoding {
    static func eventQuestion(_ fields: MessageFields) throws(MessageCodingFailure) -> AwaitEvent {
        guard fields.secrets.isEmpty else { throw .badEnclaveMessage(.secretsLeft(fields.secrets.count)) }
        var fields = fields
        let after = try fields.optionalInteger("after")
        try fields.finish()
        return AwaitEvent(after: after)
    }
}

/// A state and its number in the sequence of events of one daemon.
package struct ProtectedDataEvent: Sendable, Hashable {
    /// Larger than the numbers of all earlier events.
    package let number: Int64
    package let state: ProtectedDataState

    package init(number: Int64, state: ProtectedDataState) {
        self.number = number
        self.state = state
    }
}

extension ProtectedDataEvent: KeychainReply {
    /// The number of the event stands where other answers have that of their form.
    package var replyNumber: Int64 { number }

    package func write(to writer: inout FieldWriter) {
        writer.integer(state.rawValue)
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard let state = ProtectedDataState(rawValue: try fields.integer("state")) else { throw .badField("state") }
        self.init(number: number, state: state)
    }
}

/// The end of a watch: the device is ending, or has too many watches. No more events come over this connection.
package struct WatchEnded: KeychainFailure, Hashable {
    package static let questionKind = MessageCoding.Kind.eventRequest
    package static let answerKind = MessageCoding.Kind.eventReply

    package init() {}

    package func write(to writer: inout FieldWriter) {}

    /// No number stands for it.
    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) { return nil }
}
