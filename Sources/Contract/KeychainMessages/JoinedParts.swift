import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The parts of an answer, joined as they come.
package struct JoinedParts {
    package private(set) var reply = ItemReply(code: .success)
    private var count = 0

    /// True once a part has come.
    package var hasParts: Bool { count > 0 }

    package enum State {
        case unfinished
        case finished
        /// The daemon does not know the request, or has given up the search.
        case refused
    }

    package init() {}

    package mutating func take(_ message: WireMessage) throws(MessageCodingFailure) -> State {
        guard let part = try MessageCoding.decodeItemReplyPart(message) else { return .refused }
        try add(part)
        return part.isLast ? .finished : .unfinished
    }

    /// Throws if a part before this one is missing.
    package mutating func add(_ part: ItemReplyPart) throws(MessageCodingFailure) {
        defer { count = part.number + 1 }
        guard part.number > 0, part.reply.code == .success else {
            guard part.secretsBefore == 0 else { throw .badField("part") }
            reply = part.reply
            return
        }
        guard part.number == count, part.secretsBefore == reply.secrets.count,
            case .array(let entries)? = part.reply.result, case .array(var joined)? = reply.result
        else { throw .badField("part") }
        // Taken out, so that the list is not copied for each part.
        reply.result = nil
        joined += entries
        reply.result = .array(joined)
        reply.secrets += part.reply.secrets
        reply.affectedRows = part.reply.affectedRows
    }
}
