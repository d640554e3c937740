import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

@Suite("The writer of epochs") struct EpochWriterTests {
    @Test("needs the keys of the epochs that it wraps: a locked device waits") func locked() throws {
        var circle = try SampleCircle()
        let epoch = try #require(circle.epochs.first)
        circle.keyring.lock()
        #expect(throws: EpochFailure.missingKey(epoch: epoch, .a)) { try circle.renewEpoch() }
        #expect(throws: EpochFailure.missingKey(epoch: epoch, .a)) {
            try circle.admit(SoftwareIdentity(testOnlySeed: 2))
        }
        circle.keyring.forgetAll()
        #expect(throws: EpochFailure.missingCircleSecret) { try circle.renewEpoch() }
    }

    @Test("leaves out a member whose keys are not valid, so that it cannot stop a removal") func invalidMember() throws
    {
        var circle = try SampleCircle()
        let other = SoftwareIdentity(testOnlySeed: 2).publicKeys
        let invalid = DevicePublicKeys(
            statement: other.statement, log: other.log,
            receiveA: ReceivePublicKeys(
                agreement: try #require(P256PublicKey([4] + [UInt8](repeating: 1, count: 64))),
                encapsulation: other.receiveA.encapsulation),
            receiveC: other.receiveC)
        try circle.add(.admit(Admission(keys: invalid, share: nil)), by: circle.founder)
        let next = try EpochWriter(circle.keyring).next(
            EpochNumber(2), for: circle.recipients(), wrapping: circle.graph.epochsToWrap(), entropy: circle.entropy)
        #expect(next.leftOut == [.device(invalid.identifier)])
        #expect(next.epoch.recipients == [circle.founder.publicKeys.identifier])
        #expect(next.epoch.shares[.recovery(circle.recovery.publicKeys.identifier)] != nil)
        let epoch = try #require(circle.epochs.first)
        let content = try #require(circle.graph[epoch]?.statement.body.epoch)
        #expect(try EpochWriter(circle.keyring).shares(of: epoch, content, for: .device(invalid)) == nil)
    }

    @Test("gives each epoch keys of its own, and all of them the same circle secret") func distinct() throws {
        var circle = try SampleCircle()
        try circle.renewEpoch()
        let keys = circle.epochs.flatMap { epoch in
            ZoneClass.allCases.compactMap { circle.keyring.key(of: epoch, $0)?.secret.testOnlyBytes }
        }
        #expect(Set(keys).count == 4)
        for epoch in circle.epochs {
            let content = try #require(circle.graph[epoch]?.statement.body.epoch)
            let commitments = ZoneCommitment.commitments(
                to: EpochKeys(
                    a: try #require(circle.keyring.key(of: epoch, .a)),
                    c: try #require(circle.keyring.key(of: epoch, .c)),
                    circleSecret: try #require(circle.keyring.circleSecret)),
                in: circle.graph.circle, content.number)
            #expect(commitments == content.commitments)
        }
    }

    @Test("wraps what no other epoch wraps, so each epoch is wrapped once") func chain() throws {
        var circle = try SampleCircle()
        let first = circle.epochs
        let second = try circle.renewEpoch()
        let third = try circle.renewEpoch()
        #expect(circle.graph[second]?.statement.body.epoch.map { Set($0.earlier.keys) } == first)
        #expect(circle.graph[third]?.statement.body.epoch.map { Set($0.earlier.keys) } == [second])
    }
}
