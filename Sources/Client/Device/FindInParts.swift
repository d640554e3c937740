import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// A find whose answer comes in as many messages as it needs.
struct FindInParts {
    private let request: ItemRequest

    init(_ request: ItemRequest) {
        self.request = request
    }

    /// - Parameter call: sends a message and waits for its reply, over the same connection each time.
    /// - Returns: the answer, or the reason why it cannot be read.
    func answer<Failure: Error>(
        _ call: (WireMessage) throws(Failure) -> WireMessage
    ) throws(Failure) -> Result<ItemReply, MessageCodingFailure> {
        var joined = JoinedParts()
        var message = try call(MessageCoding.encodeForParts(request))
        while true {
            switch Result(catching: { () throws(MessageCodingFailure) in try joined.take(message) }) {
            case .success(.unfinished): message = try call(MessageCoding.nextPart)
            case .success(.finished): return .success(joined.reply)
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
