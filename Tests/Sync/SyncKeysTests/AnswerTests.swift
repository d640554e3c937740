import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

/// Each derived thing, against another implementation.
@Suite("Keys of a circle are those of another implementation") struct AnswerTests {
    private let answers: Answers

    init() throws {
        answers = try Answers.all()
    }

    @Test("a recovery code gives the same public keys") func recovery() throws {
        let code = try RecoveryCode(reading: SecretBox(answers.recoveryCode))
        #expect(code.text.testOnlyText == answers.recoveryCode)
        let keys = RecoveryKeys(code).publicKeys
        #expect(keys.signing.bytes + keys.receive.bytes == (try Answers.bytes(answers.recoveryPublicKeys)))
    }

    @Test("an invitation code gives the same names, codes and seal") func invitation() throws {
        let code = try InvitationCode(reading: SecretBox(answers.invitationCode))
        #expect(code.text.testOnlyText == answers.invitationCode)
        let keys = InvitationKeys(code)
        #expect(keys.invitationName == (try Answers.bytes(answers.invitationName)))
        #expect(keys.requestName == (try Answers.bytes(answers.requestName)))
        let object = Array("object".utf8)
        #expect(keys.member.code(over: object) == (try Answers.bytes(answers.memberCode)))
        #expect(keys.joiner.isCode(try Answers.bytes(answers.joinerCode), over: object))
        #expect(!keys.member.isCode(try Answers.bytes(answers.joinerCode), over: object))
        let description = keys.opened(try Answers.bytes(answers.invitationDescription))
        #expect(description == DeviceDescription(name: "Wohnzimmer é", system: "Debian 12"))
    }

    @Test("commitments are the same") func commitments() throws {
        #expect(Sample.commitments.bytes == (try Answers.bytes(answers.commitments)))
    }

    @Test("shares of both zones open") func shares() throws {
        let recovery = RecoveryKeys(try RecoveryCode(reading: SecretBox(answers.recoveryCode)))
        let party = CircleParty.recovery(recovery.publicKeys.identifier)
        let shares = ZoneShares(
            a: try #require(FixedBytes(try Answers.bytes(answers.shareA))),
            c: try #require(FixedBytes(try Answers.bytes(answers.shareC))))
        let share = ZoneShare(in: Sample.circle, Sample.commitments, for: party)
        let epoch = try Sample.epoch()
        #expect(try share.openedA(shares, of: epoch, with: recovery.receive).secret.equals(Sample.keyA.secret))
        let opened = try share.openedC(shares, of: epoch, with: recovery.receive)
        #expect(opened.key.secret.equals(Sample.keyC.secret))
        #expect(opened.circleSecret.equals(Sample.circleSecret))
    }

    @Test("the key of an earlier epoch is wrapped in the same bytes") func earlier() throws {
        let place = EarlierKey(Sample.earlier, .a, in: Sample.circle, under: Sample.commitments)
        let wrapped = place.wrapped(Sample.earlierKeyA, under: Sample.keyA)
        #expect(wrapped.bytes == (try Answers.bytes(answers.wrappedEarlierA)))
    }

    @Test("segments and parts of snapshots open") func sealed() throws {
        let header = Array("header".utf8)
        let segment = ContentSeal(
            .segment(Dot(StreamIdentifier(Sample.device, .c), 258)), in: Sample.circle, Sample.epoch,
            zoneKey: Sample.keyC)
        let content = try segment.open(try Answers.bytes(answers.segment), header: header)
        #expect(content.testOnlyText == "content")
        let part = ContentSeal(
            .snapshotPart(StreamIdentifier(Sample.device, .a), number: 3, part: 2), in: Sample.circle, Sample.epoch,
            zoneKey: Sample.keyA)
        let long = try part.open(try Answers.bytes(answers.snapshotPart), header: header)
        #expect(long.testOnlyText == String(repeating: "part ", count: 300))
        #expect(answers.segment.count == 2 * ContentSeal.sealedByteCount(7))
        #expect(answers.snapshotPart.count == 2 * ContentSeal.sealedByteCount(1500))
    }

    @Test("the description of a device opens") func description() throws {
        let opened = DeviceDescription(
            opening: try Answers.bytes(answers.description), of: Sample.device, in: Sample.circle, Sample.epoch,
            zoneKeyC: Sample.keyC)
        #expect(opened == DeviceDescription(name: "Wohnzimmer é", system: "Debian 12"))
    }

    @Test("names and digests are the same") func names() throws {
        let keys = CircleKeys(Sample.circleSecret, of: Sample.circle)
        let name = HMACSHA256.code(over: Array("identity".utf8), key: keys.nameKey).prefix(ItemName.byteCount)
        #expect(Array(name) == (try Answers.bytes(answers.name)))
        let hash = try #require(ObjectHash(try Answers.bytes(answers.digest)))
        #expect(keys.digest(of: Array("item".utf8)) == StateDigest(hash))
    }
}
