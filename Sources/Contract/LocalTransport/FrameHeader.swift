import LatchkeySecretMemory

/// The number that ties every frame to its connection.
struct Nonce: Sendable, Equatable {
    static let none = Nonce(0, 0)

    let low: UInt64
    let high: UInt64

    init(_ low: UInt64, _ high: UInt64) {
        self.low = low
        self.high = high
    }
}

/// The purpose of a frame. Raw values travel on the socket.
enum FrameKind: UInt8, Sendable {
    /// Server to client: the nonce.
    case greeting = 1
    /// Client to server: echoes the nonce, with the client's claim about itself.
    case hello = 2
    /// Server to client: the handshake is over.
    case welcome = 3
    /// Client to server: a request.
    case message = 4
    /// The last frame of either side; the body is a ``TransportRefusal``.
    case refusal = 5
    /// Server to client: the reply to a message. May be larger than a request, because the client trusts the server.
    case answer = 6

    var bodyLimit: Int { self == .answer ? TransportLimits.answerByteCount : TransportLimits.bodyByteCount }
    var secretCountLimit: Int {
        self == .answer ? TransportLimits.answerSecretCount : TransportLimits.secretCount
    }
    var secretsLimit: Int { self == .answer ? TransportLimits.answerByteCount : TransportLimits.secretsByteCount }
}

/// The fixed first 40 bytes of a frame (`Docs/Formats/socket.md`); numbers are little-endian.
struct FrameHeader: Sendable, Equatable {
    static let byteCount = 40
    private static let magic: UInt32 = 0x5359_4B4C  // "LKYS"
    private static let version: UInt8 = 1
    private static let contentInMemoryFile: UInt16 = 1

    var kind: FrameKind
    var isContentInMemoryFile: Bool
    var bodyCount: Int
    var secretCount: Int
    var secretsByteCount: Int
    var nonce: Nonce

    /// Bytes after the header: lengths of the secrets, body, secrets.
    var contentCount: Int { secretCount * 4 + bodyCount + secretsByteCount }

    init(kind: FrameKind, message: WireMessage, nonce: Nonce) {
        self.kind = kind
        self.bodyCount = message.body.count
        self.secretCount = message.secrets.count
        self.secretsByteCount = message.secrets.reduce(0) { $0 + $1.count }
        self.nonce = nonce
        self.isContentInMemoryFile = false
        self.isContentInMemoryFile = Self.byteCount + contentCount > TransportLimits.packetByteCount
    }

    /// Parses and checks a header; every count in it is within the limits afterwards.
    init(reading bytes: UnsafeRawBufferPointer) throws(TransportFailure) {
        guard bytes.count >= Self.byteCount else { throw .malformed(.truncated) }
        func number<N: FixedWidthInteger>(_ offset: Int, as: N.Type) -> N {
            unsafe N(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: N.self))
        }
        guard number(0, as: UInt32.self) == Self.magic else { throw .malformed(.badMagic) }
        guard unsafe bytes[4] == Self.version else { throw unsafe .malformed(.unknownVersion(bytes[4])) }
        guard let kind = unsafe FrameKind(rawValue: bytes[5]) else { throw unsafe .malformed(.unknownKind(bytes[5])) }
        let flags = number(6, as: UInt16.self)
        guard flags & ~Self.contentInMemoryFile == 0, number(20, as: UInt32.self) == 0 else {
            throw .malformed(.unknownFlags(flags))
        }
        self.kind = kind
        isContentInMemoryFile = flags == Self.contentInMemoryFile
        bodyCount = Int(number(8, as: UInt32.self))
        secretCount = Int(number(12, as: UInt32.self))
        secretsByteCount = Int(number(16, as: UInt32.self))
        nonce = Nonce(number(24, as: UInt64.self), number(32, as: UInt64.self))
        try checkLimits()
    }

    func checkLimits() throws(TransportFailure) {
        try Self.check(bodyCount, limit: kind.bodyLimit)
        try Self.check(secretCount, limit: kind.secretCountLimit)
        try Self.check(secretsByteCount, limit: kind.secretsLimit)
    }

    func write(to bytes: UnsafeMutableRawBufferPointer) {
        unsafe bytes.storeBytes(of: Self.magic.littleEndian, toByteOffset: 0, as: UInt32.self)
        unsafe bytes[4] = Self.version
        unsafe bytes[5] = kind.rawValue
        let flags = isContentInMemoryFile ? Self.contentInMemoryFile : 0
        unsafe bytes.storeBytes(of: flags.littleEndian, toByteOffset: 6, as: UInt16.self)
        unsafe bytes.storeBytes(of: UInt32(bodyCount).littleEndian, toByteOffset: 8, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(secretCount).littleEndian, toByteOffset: 12, as: UInt32.self)
        unsafe bytes.storeBytes(of: UInt32(secretsByteCount).littleEndian, toByteOffset: 16, as: UInt32.self)
        unsafe bytes.storeBytes(of: 0, toByteOffset: 20, as: UInt32.self)
        unsafe bytes.storeBytes(of: nonce.low.littleEndian, toByteOffset: 24, as: UInt64.self)
        unsafe bytes.storeBytes(of: nonce.high.littleEndian, toByteOffset: 32, as: UInt64.self)
    }

    private static func check(_ count: Int, limit: Int) throws(TransportFailure) {
        guard count <= limit else { throw .tooLarge(byteCount: count, limit: limit) }
    }
}
