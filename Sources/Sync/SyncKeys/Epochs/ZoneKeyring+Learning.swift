package import LatchkeySyncCore

/// A receiver of shares: a party and its private keys for each zone.
package struct KeyringReceiver: Sendable {
    package let party: CircleParty
    /// Without those of a zone, its shares are left alone.
    let keys: PerZone<(any ShareReceiving)?>

    /// - Parameter isUnlocked: false on a locked device, which opens no shares of zone A.
    package init(_ identity: some SyncIdentity, isUnlocked: Bool = true) {
        party = identity.party
        keys = PerZone(a: isUnlocked ? identity.receiveKeys(of: .a) : nil, c: identity.receiveKeys(of: .c))
    }

    package init(_ recovery: RecoveryKeys) {
        party = .recovery(recovery.publicKeys.identifier)
        keys = PerZone(both: recovery.receive)
    }
}

/// The result of reading the shares in a circle's statements.
package struct KeyringLearning: Sendable {
    /// The secrets that are new in the keyring: to be stored.
    package fileprivate(set) var learned: [KeyringSubject] = []
    /// The wrapped keys that gave none, by epoch and zone. With ``ShareFailure/receiver(_:)`` they may give one later.
    package fileprivate(set) var refused: [KeyringSubject: ShareFailure] = [:]
}

extension ZoneKeyring {
    /// Opens the shares for a receiver in the statements of the circle, and with their keys those of earlier epochs.
    ///
    /// Keys of epochs that are void are learned, too: their authors may have sealed segments that count.
    package mutating func learn(from graph: StatementGraph, as receiver: KeyringReceiver) -> KeyringLearning {
        precondition(graph.circle == circle, "a keyring belongs to one circle")
        var learning = KeyringLearning()
        let statements = ShareStatements(graph, for: receiver.party)
        // Zone C first: it has the circle secret.
        for zone in [ZoneClass.c, .a] {
            // The newest epoch first: it wraps others, so that not every share has to be opened.
            for hash in statements.newestFirst {
                if let keys = receiver.keys[zone], key(of: hash, zone) == nil {
                    open(hash, zone, statements, as: receiver.party, with: keys, &learning)
                }
                unwrapEarlier(of: hash, zone, statements, &learning)
            }
        }
        return learning
    }

    /// Opens the first share of an epoch that gives its key. Each member can write one, so others may be wrong.
    private mutating func open(
        _ hash: ObjectHash, _ zone: ZoneClass, _ statements: ShareStatements, as party: CircleParty,
        with keys: some ShareReceiving, _ learning: inout KeyringLearning
    ) {
        guard let epoch = statements.epochs[hash] else { return }
        let share = ZoneShare(in: circle, epoch.commitments, for: party)
        for shares in statements.shares[hash, default: []] {
            do throws(ShareFailure) {
                switch zone {
                case .a:
                    learn(try share.openedA(shares, of: epoch, with: keys), of: hash, .a, &learning)
                case .c:
                    let opened = try share.openedC(shares, of: epoch, with: keys)
                    if let circleSecret {
                        guard circleSecret.equals(opened.circleSecret) else { throw .otherCircleSecret }
                    } else {
                        add(opened.circleSecret)
                        learning.learned.append(.circleSecret)
                    }
                    learn(opened.key, of: hash, .c, &learning)
                }
                return
            } catch {
                learning.refused[.zoneKey(hash, zone)] = error
            }
        }
    }

    /// Unwraps the keys that an epoch has of earlier ones, and what these have.
    private mutating func unwrapEarlier(
        of hash: ObjectHash, _ zone: ZoneClass, _ statements: ShareStatements, _ learning: inout KeyringLearning
    ) {
        var open = [hash]
        while let hash = open.popLast() {
            guard let epoch = statements.epochs[hash], let key = key(of: hash, zone) else { continue }
            for (earlier, wrapped) in epoch.earlier where self.key(of: earlier, zone) == nil {
                guard let earlierEpoch = statements.epochs[earlier] else { continue }
                let place = EarlierKey(earlier, zone, in: circle, under: epoch.commitments)
                guard let found = place.unwrapped(wrapped[zone], under: key) else {
                    learning.refused[.zoneKey(earlier, zone)] = .notForReceiver
                    continue
                }
                guard isCommitted(found, zone, in: earlierEpoch) else {
                    learning.refused[.zoneKey(earlier, zone)] = .otherCommitment
                    continue
                }
                learn(found, of: earlier, zone, &learning)
                open.append(earlier)
            }
        }
    }

    private func isCommitted(_ key: ZoneKey, _ zone: ZoneClass, in epoch: Epoch) -> Bool {
        switch zone {
        case .a: ZoneCommitment.covers(key, circle, epoch)
        case .c: circleSecret.map { ZoneCommitment.covers(key, $0, circle, epoch) } ?? false
        }
    }

    private mutating func learn(
        _ key: ZoneKey, of epoch: ObjectHash, _ zone: ZoneClass, _ learning: inout KeyringLearning
    ) {
        add(key, of: epoch, zone)
        learning.learned.append(.zoneKey(epoch, zone))
        learning.refused[.zoneKey(epoch, zone)] = nil
    }
}

/// The epochs in the statements of a circle, and the shares of one receiver.
private struct ShareStatements {
    let epochs: [ObjectHash: Epoch]
    let shares: [ObjectHash: [ZoneShares]]
    let newestFirst: [ObjectHash]

    init(_ graph: StatementGraph, for party: CircleParty) {
        var epochs: [ObjectHash: Epoch] = [:]
        var shares: [ObjectHash: [ZoneShares]] = [:]
        for verified in graph.statements {
            if let epoch = verified.statement.body.epoch {
                epochs[verified.hash] = epoch
                if let share = epoch.shares[party] { shares[verified.hash, default: []].append(share) }
            }
            switch verified.statement.body {
            case .admit(let admission):
                guard let share = admission.share, .device(admission.keys.identifier) == party else { continue }
                shares[share.epoch, default: []].append(share.shares)
            case .share(let sharing):
                if let share = sharing.shares[party] { shares[sharing.epoch, default: []].append(share) }
            case .found, .remove, .leave, .epoch, .recovery, .settings:
                continue
            }
        }
        self.epochs = epochs
        self.shares = shares
        newestFirst = epochs.sorted { ($0.value.number, $0.key) > ($1.value.number, $1.key) }.map(\.key)
    }
}

extension WrappedZoneKeys {
    fileprivate subscript(_ zone: ZoneClass) -> FixedBytes<WrappedZoneKeyFormat> {
        switch zone {
        case .a: a
        case .c: c
        }
    }
}
