import CLatchkeyShims
import Glibc
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

@testable import LatchkeyLocalTransport

@Suite("A malformed frame ends its connection with a reason", .serialized)
struct MalformedFrameTests {
    /// A change to a good frame with a body of 5 and secrets of 4 and 3 bytes, and what the server must make of it.
    struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let failure: TransportFailure
        let apply: @Sendable (inout [UInt8]) -> Void

        init(_ name: String, _ failure: TransportFailure, _ apply: @escaping @Sendable (inout [UInt8]) -> Void) {
            testDescription = name
            self.failure = failure
            self.apply = apply
        }
    }

    static let damages = [
        Damage("one byte", .malformed(.truncated)) { $0 = [1] },
        Damage("half a header", .malformed(.truncated)) { $0.removeLast($0.count - 39) },
        Damage("other magic", .malformed(.badMagic)) { $0[0] ^= 1 },
        Damage("other version", .malformed(.unknownVersion(2))) { $0[4] = 2 },
        Damage("kind 0", .malformed(.unknownKind(0))) { $0[5] = 0 },
        Damage("kind 7", .malformed(.unknownKind(7))) { $0[5] = 7 },
        Damage("a second hello", .malformed(.unexpectedKind(2))) { $0[5] = 2 },
        Damage("unknown flag", .malformed(.unknownFlags(2))) { $0[6] = 2 },
        Damage("reserved bytes used", .malformed(.unknownFlags(0))) { $0[23] = 1 },
        Damage("other nonce", .wrongNonce) { $0[24] ^= 0x80 },
        Damage("end of nonce differs", .wrongNonce) { $0[39] ^= 1 },
        Damage("last byte cut", .malformed(.lengthsDisagree(expected: 20, found: 19))) { $0.removeLast() },
        Damage("a byte too many", .malformed(.lengthsDisagree(expected: 20, found: 21))) { $0.append(0) },
        Damage("huge body", .tooLarge(byteCount: 0xFFFF_FFFF, limit: TransportLimits.bodyByteCount)) {
            for index in 8..<12 { $0[index] = 0xFF }
        },
        Damage("huge number of secrets", .tooLarge(byteCount: 0x0100_0002, limit: TransportLimits.secretCount)) {
            $0[15] = 1
        },
        Damage("a secret too many", .tooLarge(byteCount: 65, limit: TransportLimits.secretCount)) { $0[12] = 65 },
        Damage("huge secrets", .tooLarge(byteCount: 0x0200_0007, limit: TransportLimits.secretsByteCount)) {
            $0[19] = 2
        },
        Damage("first secret longer than all", .malformed(.lengthsDisagree(expected: 7, found: 255))) { $0[40] = 255 },
        Damage("secrets shorter than said", .malformed(.lengthsDisagree(expected: 7, found: 6))) { $0[44] = 2 },
        Damage("memory file named, none sent", .malformed(.descriptorMissing)) { $0[6] = 1 },
    ]

    static let message = WireMessage(
        body: [1, 2, 3, 4, 5], secrets: [SecretBox(copying: [6, 7, 8, 9]), SecretBox(copying: [10, 11, 12])])

    @Test("after a good message", arguments: damages)
    func afterGoodMessage(damage: Damage) throws {
        let course = try RawPeer().course { peer in
            let nonce = peer.nonce()
            peer.send(frame(.hello, nonce: nonce))
            let good = frame(.message, Self.message, nonce: nonce)
            peer.send(good)
            var bad = good
            damage.apply(&bad)
            peer.send(bad)
            #expect(peer.refusal() == damage.failure.refusal)
        }
        #expect(course.messages == 1)
        #expect(course.failure == damage.failure)
    }

    @Test("in the handshake", arguments: damages.filter { $0.testDescription != "a second hello" })
    func inHandshake(damage: Damage) throws {
        let course = try RawPeer().course { peer in
            var hello = frame(.hello, Self.message, nonce: peer.nonce())
            damage.apply(&hello)
            peer.send(hello)
            #expect(peer.refusal() == damage.failure.refusal)
        }
        #expect(course.messages == 0)
        #expect(course.failure == damage.failure)
    }

    @Test("a message before the hello, or queued before the nonce was known, is refused")
    func withoutHello() throws {
        let early = try RawPeer()
        early.send(frame(.hello, nonce: .none))
        early.send(frame(.message, Self.message, nonce: .none))
        #expect(early.serve().failure == .wrongNonce)

        let impatient = try RawPeer().course { peer in
            peer.send(frame(.message, Self.message, nonce: peer.nonce()))
            #expect(peer.refusal() == .malformed)
        }
        #expect(impatient.failure == .malformed(.unexpectedKind(4)))
    }

    @Test("a hello that carries secrets or says too much is refused")
    func largeHello() throws {
        let hello = WireMessage(body: [UInt8](repeating: 0, count: TransportLimits.helloByteCount + 1))
        let course = try RawPeer().course { $0.send(frame(.hello, hello, nonce: $0.nonce())) }
        #expect(course.failure == .tooLarge(byteCount: hello.body.count, limit: TransportLimits.helloByteCount))
        let secret = try RawPeer().course { $0.send(frame(.hello, Self.message, nonce: $0.nonce())) }
        #expect(secret.failure?.refusal == .tooLarge)
    }

    @Test("a packet larger than the buffer is refused as cut")
    func longPacket() throws {
        let course = try RawPeer().course { peer in
            let nonce = peer.nonce()
            peer.send(frame(.hello, nonce: nonce))
            peer.send([UInt8](repeating: 0x4C, count: TransportLimits.packetByteCount + 1))
        }
        #expect(course.failure == .malformed(.truncated))
    }

    @Test("an empty packet is refused; the end of the stream, also in one direction, does not count as a failure")
    func emptyAndEnd() throws {
        let empty = try RawPeer().course { peer in
            peer.send(frame(.hello, nonce: peer.nonce()))
            peer.send([])
            #expect(peer.refusal() == .malformed)
        }
        #expect(empty.failure == .malformed(.truncated))
        let halfClosed = try RawPeer().course { peer in
            let nonce = peer.nonce()
            peer.send(frame(.hello, nonce: nonce))
            peer.send(frame(.message, Self.message, nonce: nonce))
            Glibc.shutdown(peer.descriptor.number, Int32(SHUT_WR))
            let channel = FrameChannel(peer.descriptor)
            #expect((try? channel.receive())?.header.kind == .welcome)
            #expect((try? channel.receive())?.message.body == Self.message.body)
        }
        #expect(halfClosed.messages == 1)
        #expect(halfClosed.failure == nil)
    }

    @Test("seeded changes anywhere in a frame never bring more than one message through", arguments: 0..<40)
    func mutations(seed: UInt64) throws {
        var random = SplitMix(seed: seed)
        let places = (0..<3).map { _ in (Int(random.next() % 60), UInt8(truncatingIfNeeded: random.next() | 1)) }
        let course = try RawPeer().course { peer in
            let nonce = peer.nonce()
            peer.send(frame(.hello, nonce: nonce))
            var bad = frame(.message, Self.message, nonce: nonce)
            for (place, change) in places { bad[place] ^= change }
            peer.send(bad)
            peer.send(frame(.message, Self.message, nonce: nonce))
        }
        // A frame changed in body or secrets only is a good one; any other ends the connection before the second.
        let isHeaderChanged = places.contains { $0.0 < 48 }
        #expect(
            course.messages == 2 || (course.messages == 0 && isHeaderChanged && course.failure != nil), "seed \(seed)")
    }
}
