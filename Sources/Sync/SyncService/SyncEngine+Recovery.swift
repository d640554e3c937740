internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncIdentity
package import LatchkeySyncKeys
internal import LatchkeySyncStore

/// The way back with the recovery code, and the ends of a membership.
extension SyncEngine {
    /// Enters the circle of a recovery code at once, for a device of tests.
    ///
    /// - Returns: nil if no circle of the store has the code.
    package static func recovered(_ parts: SyncParts, with recovery: RecoveryKeys) throws -> SyncEngine? {
        guard let found = try CircleReader.circle(of: recovery, in: parts.stores) else { return nil }
        let pending = try admission(parts, to: found, with: recovery)
        let store = parts.stores.store(
            of: pending.invitation.circle, writer: pending.record.publicKeys.identifier)
        try store.create([pending.name: pending.object])
        return try enter(
            parts, as: pending.record, try CircleReader.statements(in: store), founding: pending.invitation.founding,
            knowing: pending.invitation.statementHeads)
    }

    /// Makes an identity of this device and a statement that admits it to the circle of a recovery code.
    static func admission(
        _ parts: SyncParts, to found: CircleReader.Found, with recovery: RecoveryKeys
    ) throws -> PendingJoin {
        var graph = found.graph
        let party = CircleParty.recovery(recovery.publicKeys.identifier)
        let record = try EnclaveIdentity.make(by: parts.enclave)
        do {
            let share = try share(in: graph, of: recovery, for: record)
            guard let place = graph.nextPlace(for: party) else { throw SyncFailure.tooManyStatements }
            let admission = try Statement(
                circle: graph.circle, author: party, index: place.index, parents: place.parents, date: parts.date,
                body: .admit(Admission(keys: record.publicKeys, share: share)))
            let signed = try StatementSigner(recovery).signed(admission)
            switch graph.insert(signed, verifier: P256StatementVerifier()) {
            case .accepted: break
            case .refused(let refusal): throw SyncFailure.refusedStatement(refusal)
            case .known, .waiting: throw SyncFailure.notAdmitted
            }
            let known = Invitation(
                circle: graph.circle, founding: found.founding, statementHeads: [signed.hash],
                member: record.publicKeys.identifier)
            return PendingJoin(known, record, .statement(signed.hash), signed.bytes)
        } catch {
            try? EnclaveIdentity(record, enclave: parts.enclave).delete()
            throw error
        }
    }

    /// The keys of the epoch for writing, which the recovery code opens, for a device that it admits.
    private static func share(
        in graph: StatementGraph, of recovery: RecoveryKeys, for record: IdentityRecord
    ) throws -> Admission.Share? {
        var keyring = ZoneKeyring(of: graph.circle)
        _ = keyring.learn(from: graph, as: KeyringReceiver(recovery))
        guard let epoch = graph.state().writingEpoch, let content = graph[epoch.hash]?.statement.body.epoch,
            let shares = try EpochWriter(keyring).shares(of: epoch.hash, content, for: .device(record.publicKeys))
        else { return nil }
        return Admission.Share(epoch: epoch.hash, shares: shares)
    }

    /// True if this device was removed with the wish that it deletes what it has of the circle.
    var isAskedToErase: Bool { membership.erased.contains(device) }
}
