/// The limits of a frame and of a server; `Docs/Formats/socket.md` states the same numbers.
package enum TransportLimits {
    /// Frames up to this size travel as one packet, larger ones in a sealed memory file.
    package static let packetByteCount = 64 << 10
    package static let bodyByteCount = 4 << 20
    package static let secretsByteCount = 16 << 20
    /// The body of a reply, and its secrets: a search may find every item there is.
    package static let answerByteCount = 64 << 20
    /// The secrets of a message, which has only a few: the data of an item, a passcode.
    package static let secretCount = 64
    package static let answerSecretCount = 1 << 20
    /// The client's claim about itself in the handshake.
    package static let helloByteCount = 16 << 10
    /// The part of a connection's buffer that is locked into memory: holds nearly every message.
    static let lockedByteCount = 4 << 10
    package static let handshakeSeconds: Int32 = 5
    /// The time that a program has to take a part of an answer and to ask for the next one.
    package static let nextPartSeconds = 10.0
    /// The same for all parts of an answer, without the time in which they are made.
    package static let allPartsSeconds = 120.0
    package static let connections = 512
    /// The limit for one program of one user: enough for four busy processes.
    package static let connectionsPerProgram = 4 * ConnectionPool.limit
    /// The part of `connections` for root, and for programs that may be of level A.
    package static let reservedConnections = 64
}
