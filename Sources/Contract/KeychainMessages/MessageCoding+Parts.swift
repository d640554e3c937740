import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

extension MessageCoding {
    /// The question for the next part.
    package static let nextPart = message(.nextPartRequest, [])

    /// Encodes a find whose answer may come in parts. A daemon that does not know them refuses the message as
    /// malformed.
    package static func encodeForParts(_ request: ItemRequest) -> WireMessage {
        encode(request, as: .itemPartsRequest)
    }

    package static func encode(_ part: ItemReplyPart) -> WireMessage {
        message(
            .itemPartReply,
            [.integer(Int64(part.number)), .integer(Int64(part.secretsBefore)), .boolean(part.isLast)]
                + values(of: part.reply), secrets: part.reply.secrets)
    }

    /// Decodes the answer to a find that may come in parts; nil if it is the answer to a request of another kind, which
    /// refuses this one.
    package static func decodeItemReplyPart(_ message: WireMessage) throws(MessageCodingFailure) -> ItemReplyPart? {
        var (kind, fields) = try fields(of: message.body, secrets: message.secrets)
        guard kind != .itemReply else { return nil }
        guard kind == .itemPartReply else { throw .unexpectedMessage(found: kind.rawValue) }
        // Far below the largest number, so that one can count on.
        guard let number = Int32(exactly: try fields.count("part")) else { throw .badField("part") }
        guard let before = Int32(exactly: try fields.count("secrets before")) else { throw .badField("secrets before") }
        let isLast = try fields.boolean("last part")
        let reply = try itemReply(fields.after(secrets: Int(before)), secrets: message.secrets)
        return ItemReplyPart(reply, number: Int(number), secretsBefore: Int(before), isLast: isLast)
    }

    static func itemPartsRequest(
        _ fields: MessageFields, secrets: [SecretBox]
    ) throws(MessageCodingFailure) -> ItemRequest {
        let request = try itemRequest(fields, secrets: secrets)
        guard request.operation == .find else { throw .badField("operation") }
        return request
    }

    static func nextPartRequest(_ fields: MessageFields) throws(MessageCodingFailure) -> KeychainCall {
        try fields.finish()
        try fields.checkNoSecrets("next part")
        return .nextPart
    }
}
