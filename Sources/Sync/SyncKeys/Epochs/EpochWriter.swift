package import LatchkeyCryptoSuite
package import LatchkeySyncCore

/// A reason for which an epoch, or a share, was not written.
package enum EpochFailure: Error, Equatable, Sendable {
    /// This device does not have the key of an epoch now: it is locked, or was not given a share.
    case missingKey(epoch: ObjectHash, ZoneClass)
    /// This device does not have the circle secret, although the circle has one.
    case missingCircleSecret
    case statement(StatementFailure)
}

/// A complete epoch before its statement is signed.
package struct NewEpoch: Sendable {
    package let epoch: Epoch
    /// To be added to the keyring once the statement is stored, under its hash.
    package let keys: EpochKeys
    /// The parties whose public keys are not valid. They can never receive a key.
    package let leftOut: Set<CircleParty>
}

/// A writer of epochs: the first, those of removals, and those that members write at any other time.
package struct EpochWriter {
    private let circle: CircleIdentifier
    private let keyring: ZoneKeyring

    /// - Parameter keyring: that of the circle. Every key that the epoch wraps is taken from it.
    package init(_ keyring: ZoneKeyring) {
        circle = keyring.circle
        self.keyring = keyring
    }

    /// Writes the first epoch of a circle.
    package func first(
        for recipients: [PartyKeys], entropy: some Entropy
    ) throws(EpochFailure) -> NewEpoch {
        try written(.first, for: recipients, wrapping: [], circleSecret: nil, entropy: entropy)
    }

    /// Writes a later epoch, which wraps the keys of earlier ones.
    /// - Parameters:
    ///   - number: see ``StatementPlace/epochNumber``.
    ///   - recipients: the members without a device that the same statement removes, and the recovery keys.
    ///   - earlier: see ``StatementGraph/epochsToWrap()``.
    package func next(
        _ number: EpochNumber, for recipients: [PartyKeys], wrapping earlier: Set<ObjectHash>, entropy: some Entropy
    ) throws(EpochFailure) -> NewEpoch {
        guard let circleSecret = keyring.circleSecret else { throw .missingCircleSecret }
        return try written(
            number, for: recipients, wrapping: earlier, circleSecret: circleSecret, entropy: entropy)
    }

    /// Wraps the keys of an epoch for one more receiver. Returns nil if its public keys are not valid.
    package func shares(
        of hash: ObjectHash, _ epoch: Epoch, for recipient: PartyKeys
    ) throws(EpochFailure) -> ZoneShares? {
        guard let circleSecret = keyring.circleSecret else { throw .missingCircleSecret }
        let keys = EpochKeys(
            a: try key(of: hash, .a), c: try key(of: hash, .c), circleSecret: circleSecret)
        return shares(of: keys, epoch.commitments, for: recipient)
    }

    private func written(
        _ number: EpochNumber, for recipients: [PartyKeys], wrapping earlier: Set<ObjectHash>,
        circleSecret: CircleSecret?, entropy: some Entropy
    ) throws(EpochFailure) -> NewEpoch {
        let keys = EpochKeys(from: entropy, circleSecret: circleSecret)
        let commitments = ZoneCommitment.commitments(to: keys, in: circle, number)
        var wrapped: [ObjectHash: WrappedZoneKeys] = [:]
        // An epoch has space for a limited number; the next one wraps the others.
        for hash in earlier.sorted().prefix(StatementLimits.earlierEpochs) {
            wrapped[hash] = WrappedZoneKeys(
                a: EarlierKey(hash, .a, in: circle, under: commitments).wrapped(try key(of: hash, .a), under: keys.a),
                c: EarlierKey(hash, .c, in: circle, under: commitments).wrapped(try key(of: hash, .c), under: keys.c))
        }
        var shares: [CircleParty: ZoneShares] = [:]
        var leftOut: Set<CircleParty> = []
        for recipient in recipients {
            if let share = self.shares(of: keys, commitments, for: recipient) {
                shares[recipient.party] = share
            } else {
                leftOut.insert(recipient.party)
            }
        }
        do throws(StatementFailure) {
            let epoch = try Epoch(number: number, commitments: commitments, shares: shares, earlier: wrapped)
            return NewEpoch(epoch: epoch, keys: keys, leftOut: leftOut)
        } catch {
            throw .statement(error)
        }
    }

    private func shares(
        of keys: EpochKeys, _ commitments: ZoneCommitments, for recipient: PartyKeys
    ) -> ZoneShares? {
        ZoneShare(in: circle, commitments, for: recipient.party).sealed(keys, for: recipient.receiveKeys)
    }

    private func key(of epoch: ObjectHash, _ zone: ZoneClass) throws(EpochFailure) -> ZoneKey {
        guard let key = keyring.key(of: epoch, zone) else { throw .missingKey(epoch: epoch, zone) }
        return key
    }
}

extension PartyKeys {
    /// The public keys for which shares of both zones are wrapped. Recovery keys have one pair for both.
    package var receiveKeys: PerZone<ReceivePublicKeys> {
        switch self {
        case .device(let keys): PerZone(a: keys.receiveA, c: keys.receiveC)
        case .recovery(let keys): PerZone(both: keys.receive)
        }
    }
}
