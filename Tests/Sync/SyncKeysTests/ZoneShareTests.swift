import LatchkeyCryptoSuite
import LatchkeySecretMemory
import LatchkeySyncCore
import Testing

@testable import LatchkeySyncKeys

@Suite("Shares of zone keys") struct ZoneShareTests {
    private let owner = SoftwareIdentity(testOnlySeed: 1)
    private let other = SoftwareIdentity(testOnlySeed: 2)

    private func sealed(
        circle: CircleIdentifier = Sample.circle, commitments: ZoneCommitments = Sample.commitments,
        keys: EpochKeys = Sample.keys, for identity: SoftwareIdentity
    ) throws -> ZoneShares {
        let keys2 = PartyKeys.device(identity.publicKeys).receiveKeys
        return try #require(ZoneShare(in: circle, commitments, for: identity.party).sealed(keys, for: keys2))
    }

    /// The failures to open the shares of both zones; nil where the share opens.
    private func failures(
        _ shares: ZoneShares, circle: CircleIdentifier = Sample.circle, epoch: Epoch, as party: CircleParty? = nil,
        with identity: SoftwareIdentity
    ) -> [ShareFailure?] {
        let share = ZoneShare(in: circle, epoch.commitments, for: party ?? identity.party)
        func failure(_ open: () throws(ShareFailure) -> Void) -> ShareFailure? {
            do throws(ShareFailure) {
                try open()
                return nil
            } catch {
                return error
            }
        }
        return [
            failure { () throws(ShareFailure) in
                _ = try share.openedA(shares, of: epoch, with: identity.receiveKeys(of: .a))
            },
            failure { () throws(ShareFailure) in
                _ = try share.openedC(shares, of: epoch, with: identity.receiveKeys(of: .c))
            },
        ]
    }

    @Test("open for their receiver, with the keys that were wrapped") func opening() throws {
        let shares = try sealed(for: owner)
        let epoch = try Sample.epoch()
        let share = ZoneShare(in: Sample.circle, Sample.commitments, for: owner.party)
        #expect(try share.openedA(shares, of: epoch, with: owner.receiveKeys(of: .a)).secret.equals(Sample.keyA.secret))
        let opened = try share.openedC(shares, of: epoch, with: owner.receiveKeys(of: .c))
        #expect(opened.key.secret.equals(Sample.keyC.secret) && opened.circleSecret.equals(Sample.circleSecret))
        #expect(try sealed(for: owner) != shares)
    }

    @Test("open for no other receiver, and with no other party, circle or epoch") func bindings() throws {
        let shares = try sealed(for: owner)
        let epoch = try Sample.epoch()
        let neither: [ShareFailure?] = [.notForReceiver, .notForReceiver]
        #expect(failures(shares, epoch: epoch, with: owner) == [nil, nil])
        #expect(failures(shares, epoch: epoch, with: other) == neither)
        #expect(failures(shares, epoch: epoch, as: other.party, with: owner) == neither)
        let circle = try #require(CircleIdentifier(Sample.fixed("another circle", 16)))
        #expect(failures(shares, circle: circle, epoch: epoch, with: owner) == neither)
        let later = EpochNumber(8)
        let commitments = ZoneCommitment.commitments(to: Sample.keys, in: Sample.circle, later)
        #expect(failures(shares, epoch: try Sample.epoch(commitments, number: later), with: owner) == neither)
    }

    @Test("open in no other zone") func zones() throws {
        let shares = try sealed(for: owner)
        // The receive keys of the other zone, and the recovery keys, which are the same in both zones.
        let share = ZoneShare(in: Sample.circle, Sample.commitments, for: owner.party)
        #expect(throws: ShareFailure.notForReceiver) {
            try share.openedA(shares, of: Sample.epoch(), with: owner.receiveKeys(of: .c))
        }
        let recovery = RecoveryKeys(RecoveryCode(generating: SeededEntropy(seed: 1)))
        let recoveryShare = ZoneShare(
            in: Sample.circle, Sample.commitments, for: .recovery(recovery.publicKeys.identifier))
        let both = PerZone(both: recovery.publicKeys.receive)
        let first = try #require(recoveryShare.sealed(Sample.keys, for: both))
        // The wrapped key of zone A with the head of zone C.
        let mixed = first.c.bytes.prefix(1153) + first.a.bytes.suffix(40)
        let swapped = ZoneShares(a: try #require(FixedBytes(mixed)), c: first.c)
        #expect(throws: ShareFailure.notForReceiver) {
            try recoveryShare.openedA(swapped, of: Sample.epoch(), with: recovery.receive)
        }
    }

    @Test("with any part altered do not open", arguments: [0, 1, 64, 65, 700, 1152, 1153, 1192])
    func damage(position: Int) throws {
        let shares = try sealed(for: owner)
        var (a, c) = (shares.a.bytes, shares.c.bytes)
        a[position] ^= 1
        c[position] ^= 1
        let altered = ZoneShares(a: try #require(FixedBytes(a)), c: try #require(FixedBytes(c)))
        for failure in failures(altered, epoch: try Sample.epoch(), with: owner) {
            // A point that is altered is mostly not on the curve.
            #expect(failure == .notForReceiver || failure == .receiver(.damaged))
        }
    }

    @Test("with a key to which the epoch does not commit are refused, in each zone") func commitments() throws {
        let otherKey = ZoneKey(from: SeededEntropy(seed: 3))
        let epoch = try Sample.epoch()
        for (keys, expected) in [
            (EpochKeys(a: otherKey, c: Sample.keyC, circleSecret: Sample.circleSecret), [.otherCommitment, nil]),
            (EpochKeys(a: Sample.keyA, c: otherKey, circleSecret: Sample.circleSecret), [nil, .otherCommitment]),
            (
                EpochKeys(a: Sample.keyA, c: Sample.keyC, circleSecret: CircleSecret(from: SeededEntropy(seed: 4))),
                [nil, .otherCommitment]
            ),
            (
                EpochKeys(a: Sample.keyC, c: Sample.keyA, circleSecret: Sample.circleSecret),
                [.otherCommitment, .otherCommitment]
            ),
        ] as [(EpochKeys, [ShareFailure?])] {
            #expect(failures(try sealed(keys: keys, for: owner), epoch: epoch, with: owner) == expected)
        }
    }

    @Test("are not made for public keys that are not valid") func invalidKeys() throws {
        let keys = owner.publicKeys.receiveA
        let offCurve = try #require(P256PublicKey([4] + [UInt8](repeating: 1, count: 64)))
        let aboveModulus = try #require(MLKEMPublicKey([UInt8](repeating: 0xFF, count: 1184)))
        let share = ZoneShare(in: Sample.circle, Sample.commitments, for: owner.party)
        for invalid in [
            ReceivePublicKeys(agreement: offCurve, encapsulation: keys.encapsulation),
            ReceivePublicKeys(agreement: keys.agreement, encapsulation: aboveModulus),
        ] {
            #expect(share.sealed(Sample.keys, for: PerZone(a: invalid, c: keys)) == nil)
            #expect(share.sealed(Sample.keys, for: PerZone(a: keys, c: invalid)) == nil)
        }
    }

    @Test("commitments differ by key, circle, number and zone") func distinctCommitments() throws {
        let circle = try #require(CircleIdentifier(Sample.fixed("another circle", 16)))
        let swapped = EpochKeys(a: Sample.keyC, c: Sample.keyA, circleSecret: Sample.circleSecret)
        let all = [
            Sample.commitments, ZoneCommitment.commitments(to: Sample.keys, in: circle, Sample.number),
            ZoneCommitment.commitments(to: Sample.keys, in: Sample.circle, EpochNumber(8)),
            ZoneCommitment.commitments(to: swapped, in: Sample.circle, Sample.number),
        ].flatMap { [$0.a, $0.c] }
        #expect(Set(all).count == 8)
    }

    @Test("the key of an earlier epoch opens only in its place") func earlier() throws {
        let place = EarlierKey(Sample.earlier, .a, in: Sample.circle, under: Sample.commitments)
        let wrapped = place.wrapped(Sample.earlierKeyA, under: Sample.keyA)
        #expect(place.unwrapped(wrapped, under: Sample.keyA)?.secret.equals(Sample.earlierKeyA.secret) == true)
        #expect(place.unwrapped(wrapped, under: Sample.keyC) == nil)
        let circle = try #require(CircleIdentifier(Sample.fixed("another circle", 16)))
        let later = ZoneCommitment.commitments(to: Sample.keys, in: Sample.circle, EpochNumber(8))
        for other in [
            EarlierKey(Sample.epoch, .a, in: Sample.circle, under: Sample.commitments),
            EarlierKey(Sample.earlier, .c, in: Sample.circle, under: Sample.commitments),
            EarlierKey(Sample.earlier, .a, in: circle, under: Sample.commitments),
            EarlierKey(Sample.earlier, .a, in: Sample.circle, under: later),
        ] {
            #expect(other.unwrapped(wrapped, under: Sample.keyA) == nil)
        }
    }
}
