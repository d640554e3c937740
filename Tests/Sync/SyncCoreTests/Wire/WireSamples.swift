import LatchkeyTestSupport

@testable import LatchkeySyncCore

/// One object of each kind, with fixed content.
enum WireSamples {
    static let circle = identifier(CircleIdentifier.self, 0..<16)
    static let keys = SampleParties.devices[0]
    static let device = keys.identifier
    static let other = SampleParties.device(1)

    static func identifier<Subject>(_ type: Identifier<Subject>.Type, _ bytes: Range<UInt8>) -> Identifier<Subject> {
        guard let identifier = Identifier<Subject>(Array(bytes)) else {
            preconditionFailure("16 bytes are an identifier")
        }
        return identifier
    }

    static func hash(_ first: UInt8) -> ObjectHash {
        guard let hash = ObjectHash(Array(first..<first + 32)) else { preconditionFailure("32 bytes are a hash") }
        return hash
    }

    static let vector = VersionVector([
        StreamIdentifier(device, .a): 3, StreamIdentifier(device, .c): 258, StreamIdentifier(other, .c): 1,
    ])

    static let segment = SegmentObject(
        header: SegmentObject.Header(
            circle: circle, dot: Dot(StreamIdentifier(device, .c), 259), epoch: hash(64), previous: hash(96),
            knows: vector),
        sealedBody: [UInt8](repeating: 0xEE, count: 12 + 1_024 + 16))

    static let part = SnapshotPartObject(
        header: SnapshotPartObject.Header(
            circle: circle, device: device, number: 7, part: 1, epoch: hash(64),
            clock: DeviceClock(epoch: EpochNumber(2), time: 820_000_000_000_000, count: 5), vector: vector),
        sealedBody: [UInt8](repeating: 0xDD, count: 12 + 1_024 + 16))

    static func head(number: UInt64 = 9, label: UInt8 = 0x4C) -> HeadObject {
        let streams = PerZone(
            a: StreamSummary(first: 1, last: 3, hash: hash(32)), c: StreamSummary(first: 259, last: 258, hash: nil))
        let body = Head.Body(
            statementHeads: [hash(128), hash(96)], streams: streams,
            snapshot: SnapshotReference(number: 7, partCount: 2, hash: hash(160), vector: vector), vector: vector,
            marks: [StreamIdentifier(device, .a): hash(32).mark], digest: StateDigest(hash(192)),
            clock: DeviceClock(epoch: EpochNumber(2), time: 820_000_000_000_000, count: 5), hasJoined: true)
        return HeadObject(
            circle: circle, device: device, number: number, date: 820_000_000_000_000, body: body,
            label: [UInt8](repeating: label, count: 60))
    }

    static let invitation = Invitation(
        circle: circle, founding: hash(0), statementHeads: [hash(128), hash(96)], member: device)
    static let request = JoinRequest(
        circle: circle, keys: SampleParties.devices[1], label: [UInt8](repeating: 0x4C, count: 60))

    static let code: AuthenticationCode = {
        guard let code = AuthenticationCode(0..<32 as Range<UInt8>) else { preconditionFailure("32 bytes are a code") }
        return code
    }()

    static func signed(_ content: some LoggedContent) throws -> [UInt8] {
        let message = try content.content().signedBytes
        return try content.bytes(signature: HashSignatures.signature(over: message, publicKey: keys.log))
    }

    static func evidence() throws -> Evidence {
        try Evidence(signed(head(label: 1)), signed(head(label: 2)))
    }

    /// The whole objects by the name of their fixture.
    static func all() throws -> [(name: String, bytes: [UInt8])] {
        [
            ("head", try signed(head())), ("segment", try signed(segment)), ("snapshot-part", try signed(part)),
            ("invitation", try AuthenticatedObject(invitation.content(), code: code).bytes()),
            ("join-request", try AuthenticatedObject(request.content(), code: code).bytes()),
            ("evidence", try evidence().bytes()),
        ]
    }

    /// Parses an object of any kind, as a reader does that trusts nothing.
    /// - Returns: the bytes that a writer of the parsed content would write.
    static func parse(_ bytes: [UInt8], as name: String) throws -> [UInt8] {
        switch name {
        case "head":
            let signed = try SignedObject<HeadObject>(parsing: bytes)
            return try self.signed(signed.verified(in: circle, with: keys, by: HashSignatures()).content)
        case "segment":
            let signed = try SignedObject<SegmentObject>(parsing: bytes)
            return try self.signed(signed.verified(in: circle, with: keys, by: HashSignatures()).content)
        case "snapshot-part":
            let signed = try SignedObject<SnapshotPartObject>(parsing: bytes)
            return try self.signed(signed.verified(in: circle, with: keys, by: HashSignatures()).content)
        case "invitation":
            let object = try AuthenticatedObject(parsing: bytes)
            return try AuthenticatedObject(Invitation(parsing: object.content).content(), code: object.code).bytes()
        case "join-request":
            let object = try AuthenticatedObject(parsing: bytes)
            return try AuthenticatedObject(JoinRequest(parsing: object.content).content(), code: object.code).bytes()
        default:
            let evidence = try Evidence(parsing: bytes)
            _ = try evidence.verify(in: circle, with: keys, by: HashSignatures())
            return try evidence.bytes()
        }
    }
}
