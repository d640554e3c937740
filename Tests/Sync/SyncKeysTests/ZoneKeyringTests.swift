import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

/// A wrapping that keeps nothing secret: the bytes are those of the key and its binding. Zone A can be locked.
private struct OpenWrapping: KeyringWrapping {
    var isLocked = false

    func wrap(
        _ secret: SecretBox, of subject: KeyringSubject, in circle: CircleIdentifier
    ) throws(SyncKeyFailure) -> [UInt8] {
        secret.testOnlyBytes + subject.binding(in: circle)
    }

    func unwrap(
        _ entries: [StoredKeyringEntry], in circle: CircleIdentifier
    ) throws(SyncKeyFailure) -> [Result<SecretBox, SyncKeyFailure>] {
        entries.map { entry in
            if isLocked, entry.subject.zone == .a { return .failure(.locked) }
            guard Array(entry.wrapped.dropFirst(32)) == entry.subject.binding(in: circle) else {
                return .failure(.damaged)
            }
            return .success(SecretBox(copying: Array(entry.wrapped.prefix(32))))
        }
    }
}

/// A secret that the observer does not keep alive. Its memory is wiped when it goes.
private struct Observed {
    private weak var secret: SecretBox?

    init(_ secret: SecretBox?) {
        self.secret = secret
    }

    var isThere: Bool { secret != nil }
}

@Suite("A keyring") struct ZoneKeyringTests {
    private static func expectSame(_ one: ZoneKeyring, _ other: ZoneKeyring, _ epochs: Set<ObjectHash>) throws {
        for epoch in epochs {
            for zone in ZoneClass.allCases {
                let (left, right) = (try #require(one.key(of: epoch, zone)), try #require(other.key(of: epoch, zone)))
                #expect(left.secret.equals(right.secret))
            }
        }
        #expect(try #require(one.circleSecret).equals(#require(other.circleSecret)))
    }

    @Test("of a new member has the keys of all epochs, by one share") func joining() throws {
        var circle = try SampleCircle()
        for _ in 0..<3 { try circle.renewEpoch() }
        let joiner = SoftwareIdentity(testOnlySeed: 2)
        try circle.admit(joiner)
        var keyring = ZoneKeyring(of: circle.graph.circle)
        let learning = keyring.learn(from: circle.graph, as: KeyringReceiver(joiner))
        #expect(learning.refused == [:])
        #expect(Set(learning.learned).count == learning.learned.count)
        #expect(learning.learned.count == 9)
        try Self.expectSame(keyring, circle.keyring, circle.epochs)
        #expect(keyring.learn(from: circle.graph, as: KeyringReceiver(joiner)).learned == [])
    }

    @Test("of the recovery code has the keys of all epochs") func recovery() throws {
        var circle = try SampleCircle()
        try circle.renewEpoch()
        var keyring = ZoneKeyring(of: circle.graph.circle)
        #expect(keyring.learn(from: circle.graph, as: KeyringReceiver(circle.recovery)).refused == [:])
        try Self.expectSame(keyring, circle.keyring, circle.epochs)
        // And admits a device without a member.
        let joiner = SoftwareIdentity(testOnlySeed: 3)
        try circle.add(
            .admit(Admission(keys: joiner.publicKeys, share: nil)), by: StatementSigner(circle.recovery))
        #expect(circle.graph.state().members.contains(joiner.publicKeys.identifier))
    }

    @Test("of a removed device has no key of the epoch of its removal") func removal() throws {
        var circle = try SampleCircle()
        let (removed, staying) = (SoftwareIdentity(testOnlySeed: 2), SoftwareIdentity(testOnlySeed: 3))
        try circle.admit(removed)
        try circle.admit(staying)
        let before = circle.epochs
        let hash = try circle.renewEpoch(removing: removed.publicKeys.identifier)
        var keyring = ZoneKeyring(of: circle.graph.circle)
        _ = keyring.learn(from: circle.graph, as: KeyringReceiver(removed))
        #expect(keyring.epochs(.a) == before && keyring.epochs(.c) == before)
        var other = ZoneKeyring(of: circle.graph.circle)
        #expect(other.learn(from: circle.graph, as: KeyringReceiver(staying)).refused == [:])
        #expect(other.key(of: hash, .a) != nil)
        try Self.expectSame(other, circle.keyring, circle.epochs)
    }

    @Test("of a locked device learns zone C alone, and zone A after unlocking") func locked() throws {
        var circle = try SampleCircle()
        let joiner = SoftwareIdentity(testOnlySeed: 2)
        try circle.admit(joiner)
        var keyring = ZoneKeyring(of: circle.graph.circle)
        _ = keyring.learn(from: circle.graph, as: KeyringReceiver(joiner, isUnlocked: false))
        #expect(keyring.epochs(.a) == [] && keyring.epochs(.c) == circle.epochs)
        #expect(keyring.circleSecret != nil)
        _ = keyring.learn(from: circle.graph, as: KeyringReceiver(joiner))
        try Self.expectSame(keyring, circle.keyring, circle.epochs)
    }

    @Test("forgets zone A at lock and everything at leave, and the bytes are wiped") func forgetting() throws {
        var circle = try SampleCircle()
        let epoch = try #require(circle.epochs.first)
        let a = Observed(circle.keyring.key(of: epoch, .a)?.secret)
        let c = Observed(circle.keyring.key(of: epoch, .c)?.secret)
        let secret = Observed(circle.keyring.circleSecret?.secret)
        #expect(a.isThere && c.isThere && secret.isThere)
        circle.keyring.lock()
        #expect(!a.isThere && c.isThere && secret.isThere)
        #expect(circle.keyring.key(of: epoch, .a) == nil)
        circle.keyring.forgetAll()
        #expect(!c.isThere && !secret.isThere)
        #expect(circle.keyring.circleSecret == nil && circle.keyring.epochs(.c) == [])
    }

    @Test("is restored from what was stored, zone A only on an unlocked device") func storing() throws {
        var circle = try SampleCircle()
        try circle.renewEpoch()
        let subjects =
            circle.epochs.flatMap { epoch in ZoneClass.allCases.map { KeyringSubject.zoneKey(epoch, $0) } }
            + [.circleSecret]
        let stored = try circle.keyring.stored(subjects, by: OpenWrapping())
        #expect(stored.count == 5)
        var keyring = ZoneKeyring(of: circle.graph.circle)
        let failures = try keyring.restore(stored, by: OpenWrapping(isLocked: true))
        #expect(Set(failures.values) == [.locked] && failures.count == 2)
        #expect(keyring.epochs(.c) == circle.epochs && keyring.epochs(.a) == [])
        #expect(try keyring.restore(stored, by: OpenWrapping()) == [:])
        try Self.expectSame(keyring, circle.keyring, circle.epochs)
        // Keys that are not here cannot be stored.
        keyring.lock()
        #expect(try keyring.stored(subjects, by: OpenWrapping()).count == 3)
    }

    @Test("reports entries that are damaged, or belong elsewhere") func damage() throws {
        let circle = try SampleCircle()
        let epoch = try #require(circle.epochs.first)
        let stored = try circle.keyring.stored([.zoneKey(epoch, .a)], by: OpenWrapping())
        var keyring = ZoneKeyring(of: circle.graph.circle)
        let moved = StoredKeyringEntry(.zoneKey(epoch, .c), wrapped: stored[0].wrapped)
        #expect(try keyring.restore([moved], by: OpenWrapping()) == [.zoneKey(epoch, .c): .damaged])
        #expect(keyring.epochs(.c) == [])
    }

    @Test("bindings differ by subject and circle, and have one length") func bindings() throws {
        let other = try #require(CircleIdentifier(Sample.fixed("another circle", 16)))
        let subjects: [KeyringSubject] = [
            .circleSecret, .zoneKey(Sample.epoch, .a), .zoneKey(Sample.epoch, .c), .zoneKey(Sample.earlier, .a),
        ]
        let all = [Sample.circle, other].flatMap { circle in subjects.map { $0.binding(in: circle) } }
        #expect(Set(all).count == 8)
        #expect(all.allSatisfy { $0.count == KeyringSubject.bindingByteCount })
    }

    @Test("one-key-per-epoch: refuses a share whose key the epoch does not commit to, and takes another member's")
    func wrongShare() throws {
        var circle = try SampleCircle()
        let joiner = SoftwareIdentity(testOnlySeed: 2)
        try circle.add(.admit(Admission(keys: joiner.publicKeys, share: nil)), by: circle.founder)
        let epoch = try #require(circle.epochs.first)
        let content = try #require(circle.graph[epoch]?.statement.body.epoch)
        let wrong = EpochKeys(from: circle.entropy, circleSecret: circle.keyring.circleSecret)
        let shares = ZoneShare(in: circle.graph.circle, content.commitments, for: joiner.party).sealed(
            wrong, for: PartyKeys.device(joiner.publicKeys).receiveKeys)
        try circle.add(
            .share(Sharing(epoch: epoch, shares: [joiner.party: #require(shares)])), by: circle.founder)
        var keyring = ZoneKeyring(of: circle.graph.circle)
        let refused = keyring.learn(from: circle.graph, as: KeyringReceiver(joiner))
        #expect(
            refused.refused == [.zoneKey(epoch, .a): .otherCommitment, .zoneKey(epoch, .c): .otherCommitment])
        #expect(refused.learned == [] && keyring.circleSecret == nil)

        let right = try EpochWriter(circle.keyring).shares(of: epoch, content, for: .device(joiner.publicKeys))
        try circle.add(
            .share(Sharing(epoch: epoch, shares: [joiner.party: #require(right)])), by: circle.founder)
        #expect(keyring.learn(from: circle.graph, as: KeyringReceiver(joiner)).refused == [:])
        try Self.expectSame(keyring, circle.keyring, circle.epochs)
    }

    @Test("refuses an epoch with another circle secret") func otherSecret() throws {
        var circle = try SampleCircle()
        var theirs = circle.keyring
        let number = try #require(circle.graph.nextPlace(for: circle.founder.party)).epochNumber
        theirs.forgetAll()
        theirs.add(CircleSecret(from: circle.entropy))
        let next = try EpochWriter(theirs).next(
            number, for: circle.recipients(), wrapping: [], entropy: circle.entropy)
        let hash = try circle.add(.epoch(next.epoch), by: circle.founder)
        let learning = circle.keyring.learn(from: circle.graph, as: KeyringReceiver(circle.founder))
        #expect(learning.refused == [.zoneKey(hash, .c): .otherCircleSecret])
        #expect(circle.keyring.key(of: hash, .c) == nil)
    }
}
