import LatchkeyCryptoSuite
import Testing

@testable import LatchkeySyncCore

/// The frame of objects: Docs/Formats/sync.md.
@Suite struct ObjectFrameTests {
    @Test("a frame has the bytes of the format") func literalBytes() throws {
        let frame = try ObjectFrame(ObjectContent(kind: .statement, body: [0xAA, 0xBB]), signature: [1, 2, 3])
        let bytes: [UInt8] = Array("LKSY".utf8) + [1, 1, 0, 0, 0, 2, 0xAA, 0xBB, 0, 3, 1, 2, 3]
        #expect(frame.bytes == bytes)
        #expect(try ObjectFrame(parsing: bytes) == frame)
    }

    @Test("the signed bytes have a prefix, the kind, a zero, and the object without its signature") func signedBytes()
        throws
    {
        let content = try ObjectContent(kind: .statement, body: [9])
        #expect(
            content.signedBytes == Array("latchkey sync ".utf8) + [1, 0] + Array("LKSY".utf8) + [1, 1, 0, 0, 0, 1, 9])
        #expect(content.hash.bytes == sha256(content.bytes))
    }

    @Test("a signature is not part of the identity") func hashWithoutSignature() throws {
        let content = try ObjectContent(kind: .statement, body: [9])
        let frames = try [ObjectFrame(content, signature: [1]), ObjectFrame(content, signature: [2])]
        #expect(frames[0].content.hash == frames[1].content.hash)
        #expect(frames[0].bytes != frames[1].bytes)
    }

    static let refused: [([UInt8], ObjectFailure)] = [
        ([], .notObject),
        (Array("LKSX".utf8) + [1, 1, 0, 0, 0, 0, 0, 0], .notObject),
        (Array("LKSY".utf8) + [1, 1, 0, 0, 0], .truncated),
        (Array("LKSY".utf8) + [2, 1, 0, 0, 0, 0, 0, 0], .unknownVersion(2)),
        (Array("LKSY".utf8) + [0, 1, 0, 0, 0, 0, 0, 0], .unknownVersion(0)),
        (Array("LKSY".utf8) + [1, 0, 0, 0, 0, 0, 0, 0], .unknownKind(0)),
        (Array("LKSY".utf8) + [1, 8, 0, 0, 0, 0, 0, 0], .unknownKind(8)),
        (Array("LKSY".utf8) + [1, 1, 0, 0, 0, 1, 0, 0], .truncated),
        (Array("LKSY".utf8) + [1, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0], .truncated),
        (Array("LKSY".utf8) + [1, 1, 0, 0, 0, 0, 0, 1], .truncated),
        (Array("LKSY".utf8) + [1, 1, 0, 0, 0, 0, 0, 0, 7], .trailingBytes(1)),
    ]

    @Test("bytes that are not an object are refused with the reason", arguments: refused)
    func refusals(bytes: [UInt8], failure: ObjectFailure) {
        #expect(throws: failure) { try ObjectFrame(parsing: bytes) }
    }

    @Test(
        "an object of one byte more than the limit is refused before it is split (5.12)",
        arguments: [
            ObjectKind.statement, .head, .invitation, .joinRequest,
        ])
    func limits(kind: ObjectKind) throws {
        let limit = kind.byteLimit
        let fits = try ObjectFrame(
            ObjectContent(kind: kind, body: [UInt8](repeating: 0, count: limit - 12)), signature: [])
        #expect(try ObjectFrame(parsing: fits.bytes) == fits)
        #expect(throws: ObjectFailure.tooLarge(found: limit + 1, limit: limit)) {
            try ObjectFrame(parsing: fits.bytes + [0])
        }
        #expect(throws: ObjectFailure.tooLarge(found: limit + 1, limit: limit)) {
            try ObjectContent(kind: kind, body: [UInt8](repeating: 0, count: limit - 11))
        }
        #expect(throws: ObjectFailure.tooLarge(found: limit + 1, limit: limit)) {
            try ObjectFrame(fits.content, signature: [1])
        }
    }

    @Test("the limits are those of 5.12") func limitValues() {
        #expect(ObjectKind.statement.byteLimit == 262_144)
        #expect(ObjectKind.head.byteLimit == 32_768)
    }
}
