import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// A find whose answer comes in as many messages as it needs.
struct FindInParts {
    /// The number of times that the answer begins anew because this process asked for its next part too late.
    private static let repetitionLimit = 3

    private let request: ItemRequest

    init(_ request: ItemRequest) {
        self.request = request
    }

    /// - Parameter call: sends a message and waits for its reply, over the same connection each time. After an answer
    ///   that cannot be read the connection must not be used again.
    /// - Returns: the answer, or the reason why it cannot be read.
    func answer<Failure: Error>(
        _ call: (WireMessage) throws(Failure) -> WireMessage
    ) throws(Failure) -> Result<ItemReply, MessageCodingFailure> {
        var joined = JoinedParts()
        var repetitions = 0
        var message = try call(MessageCoding.encodeForParts(request))
        while true {
            switch Result(catching: { () throws(MessageCodingFailure) in try joined.take(message) }) {
            case .success(.unfinished): message = try call(MessageCoding.nextPart)
            case .success(.finished): return .success(joined.reply)
            case .success(.refused) where joined.hasParts && repetitions < Self.repetitionLimit:
                // The daemon has given up the search meanwhile.
                repetitions += 1
                message = try call(MessageCoding.encodeForParts(request))
            case .success(.refused):
                // The daemon is of a revision before: its answers are one message.
                let reply = try call(MessageCoding.encode(request))
                return Result { () throws(MessageCodingFailure) in
                    try MessageCoding.decodeItemReply(body: reply.body, secrets: reply.secrets)
                }
            case .failure(let failure): return .failure(failure)
            }
        }
    }
}
