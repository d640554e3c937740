import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Waits for a change of the items that the caller may read, or so many seconds.
package struct AwaitItemChange: KeychainQuestion, Hashable {
    package typealias Answer = ItemChangeCount
    package typealias Failure = ItemWatchEnded

    package static let traits: KeychainTraits = []
    package static let secondLimit: Int64 = 600

    /// The count that the caller knows: the answer comes when it is another one. Nil to get the present one at once.
    package let known: ItemChangeCount?
    /// 1 to ``secondLimit``.
    package let seconds: Int64

    package init(after known: ItemChangeCount?, seconds: Int64 = secondLimit) {
        self.known = known
        self.seconds = seconds
    }

    // The only question of its kind: it has no number.
    package var message: WireMessage {
        var writer = FieldWriter()
        writer.optionalInteger(known?.value)
        writer.integer(seconds)
        return MessageCoding.message(Failure.questionKind, writer.values)
    }
}

extension MessageCoding {
    static func itemChangeQuestion(_ fields: MessageFields) throws(MessageCodingFailure) -> AwaitItemChange {
        guard fields.secrets.isEmpty else { throw .badEnclaveMessage(.secretsLeft(fields.secrets.count)) }
        var fields = fields
        let known = try fields.optionalInteger("known")
        let seconds = try fields.integer("seconds")
        try fields.finish()
        guard (1...AwaitItemChange.secondLimit).contains(seconds) else { throw .badField("seconds") }
        return AwaitItemChange(after: known.map { ItemChangeCount($0) }, seconds: seconds)
    }
}

/// A count of the changes in the groups of one caller. It tells nothing of other groups, and a new daemon begins again.
package struct ItemChangeCount: Sendable, Hashable {
    package let value: Int64

    package init(_ value: Int64) {
        self.value = value
    }
}

extension ItemChangeCount: KeychainAnswer {
    package static let replyNumber: Int64 = 1

    package func write(to writer: inout FieldWriter) {
        writer.integer(value)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(try fields.integer("count"))
    }
}

/// The end of a watch on items.
package enum ItemWatchEnded: Int64, KeychainFailure, Hashable {
    /// The device, or this process, has as many watches as it may have.
    case tooMany = 2
    /// The device ends. The next daemon answers again.
    case deviceEnds = 3

    package static let questionKind = MessageCoding.Kind.itemChangeRequest
    package static let answerKind = MessageCoding.Kind.itemChangeReply

    package func write(to writer: inout FieldWriter) {
        writer.integer(rawValue)
    }

    package init?(_ number: Int64, from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(rawValue: number)
    }
}
