package import LatchkeyEnclaveContract
internal import LatchkeyItemDatabase
internal import LatchkeyKeychainService
package import LatchkeySyncCore
package import LatchkeySyncIdentity
package import LatchkeySyncKeys
internal import LatchkeySyncStore

/// A new identity for a device that was restored, runs twice, or lost its statement key with a former passcode.
extension SyncEngine {
    /// Goes on in the circle under keys that a member has admitted. Its knowledge of the circle stays, so that items which were
    /// deleted meanwhile do not come back.
    /// - Parameters:
    ///   - statements: of the circle, in any order.
    ///   - heads: statements that must be among them.
    package static func renew(
        _ parts: SyncParts, as record: IdentityRecord, _ statements: [SignedStatement],
        knowing heads: Set<ObjectHash> = []
    ) throws -> SyncEngine {
        guard let old = try parts.items.read({ try SyncMembership($0) }) else { throw SyncFailure.notInCircle }
        let former = try parts.items.read { try $0.syncValue(named: CircleValue.identity) }.flatMap {
            IdentityRecord($0)
        }
        var graph = old.graph
        let results = graph.insert(all: statements, verifier: P256StatementVerifier())
        let device = record.publicKeys.identifier
        guard heads.allSatisfy(graph.contains), graph.state().members.contains(device) else {
            throw SyncFailure.notAdmitted
        }
        let accepted = zip(statements, results).filter { $0.1 == .accepted }.map(\.0)
        parts.items.lend(nil, since: 0)
        try parts.items.write { writer in
            try SyncTables.renew(old.device, as: device, writer)
            try writer.setSyncValue(record.bytes, named: CircleValue.identity)
            for name in PendingJoin.names { try writer.setSyncValue(nil, named: name) }
            for statement in accepted {
                try writer.addSyncStatement(SyncStatementRow(hash: statement.hash.bytes, bytes: statement.bytes))
            }
            try SyncMembership.raiseClock(graph, writer)
        }
        // Left behind it can do nothing but sign for an identity that the members remove.
        if let former { try? EnclaveIdentity(former, enclave: parts.enclave).delete() }
        guard let engine = try SyncEngine(parts) else { throw SyncFailure.notInCircle }
        return engine
    }

    /// Gives the only device of a circle a new identity, and removes the old one.
    ///
    /// The two statements are signed apart. After a crash between them the old identity is a member, and can be removed as any other.
    /// - Parameter newRecovery: makes the keys of a new recovery code, if the old identity had set the present one.
    package func renewAlone(
        _ newRecovery: () -> RecoveryKeys, provedIn context: ContextIdentifier
    ) throws -> SyncEngine {
        exchangeStatementsAlone()
        if let failure = storeFailure { throw failure }
        guard membership.members == [device] else { throw SyncFailure.notAdmitted }
        let old = device
        let record = try EnclaveIdentity.make(by: parts.enclave)
        let renewed: SyncEngine
        do {
            try admit(record.publicKeys, provedIn: context)
            renewed = try SyncEngine.renew(parts, as: record, [])
        } catch {
            try? EnclaveIdentity(record, enclave: parts.enclave).delete()
            throw error
        }
        // Before the removal: afterwards nothing is read any more of what the old identity has written elsewhere.
        renewed.exchange()
        if let failure = renewed.storeFailure { throw failure }
        let needsCode = renewed.membership.needsNewRecoveryKeys(removing: old)
        try renewed.remove(old, newRecovery: needsCode ? newRecovery() : nil, provedIn: context)
        return renewed
    }
}

extension SyncTables {
    /// Writes the state with which a device goes on under a new identity.
    fileprivate static func renew(
        _ old: DeviceIdentifier, as device: DeviceIdentifier, _ writer: ItemWriter
    ) throws {
        let state = try state(of: old, in: writer.reader)
        let changes = try writer.reader.syncChanges()
        let deleted = changes.filter { $0.kind != .put }.compactMap { ItemName($0.name) }
        let renewed = state.renewed(as: device, deleted: Set(deleted))
        let puts = changes.filter { $0.kind == .put }
        let changed = Set(puts.map(\.name))
        let restored = Set(puts.filter { $0.stamp == .restored }.map(\.name))
        try writer.renewCircle(as: device.bytes, formerly: old.bytes, keepsPending: !renewed.pending.isEmpty)
        // Only what the circle does not have in this form counts as an item of this device's own. The rest may have been deleted meanwhile.
        for row in try writer.reader.syncItems() {
            guard let place = row.place, let name = ItemName(row.name) else { continue }
            let item = renewed.items[name]
            // A version that no other device can have had is dropped, and the row still has what it had.
            let isAsKnown = item?.state == .live && item == state.items[name] && !changed.contains(row.name)
            if !isAsKnown { try writer.nameAgain(place, isRestored: restored.contains(row.name)) }
        }
        for (name, item) in state.items where renewed.items[name] != item {
            try writer.setSyncItem(renewed.items[name]?.row, named: name.bytes)
        }
        for stream in renewed.vector.streams {
            let last = Dot(stream, renewed.vector[stream])
            try writer.setSyncStream(SyncStreamRow(last: last.row, mark: renewed.marks[stream]?.bytes))
        }
        for other in renewed.duplicated { try writer.addSyncDuplicated(other.bytes) }
        for name in [
            CircleValue.headUptime, CircleValue.confirmed, CircleValue.acknowledged, CircleValue.firsts,
            CircleValue.snapshotNumber, CircleValue.owesSnapshot,
        ] {
            try writer.setSyncValue(nil, named: name)
        }
        try writer.set(renewed.isLoading, CircleValue.isLoading)
        try writer.set(false, CircleValue.hasJoined)
    }
}
