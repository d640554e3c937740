package import LatchkeyEnclaveContract
package import LatchkeyItemDatabase
internal import LatchkeyKeychainService
package import LatchkeySyncCore
package import LatchkeySyncIdentity
package import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Decisions about the circle.
extension SyncEngine {
    /// Founds a circle with this device in it.
    /// - Parameters:
    ///   - recovery: the keys of the recovery code that the person keeps.
    ///   - context: in which the person proved the passcode.
    ///   - more: writes more of the circle in the same transaction.
    package static func found(
        _ parts: SyncParts, recovery: RecoveryKeys, provedIn context: ContextIdentifier,
        storing more: @escaping (ItemWriter) throws -> Void = { _ in }
    ) throws -> SyncEngine {
        guard try parts.items.read({ try $0.syncDevice() }) == nil else { throw SyncFailure.alreadyInCircle }
        let record = try EnclaveIdentity.make(by: parts.enclave)
        let identity = EnclaveIdentity(record, enclave: parts.enclave, context: context)
        do {
            let signer = StatementSigner(identity)
            let founding = try Statement(
                founding: Founding(
                    keys: identity.publicKeys, recovery: recovery.publicKeys, settings: try CircleSettings()),
                date: parts.date)
            let signed = try signer.signed(founding, newRecovery: recovery)
            var graph = try StatementGraph(founding: signed, verifier: P256StatementVerifier())
            let written = try EpochWriter(ZoneKeyring(of: graph.circle)).first(
                for: [.device(identity.publicKeys), .recovery(recovery.publicKeys)], entropy: parts.entropy)
            let epoch = try place(.epoch(written.epoch), in: &graph, by: signer, parts)
            var keyring = ZoneKeyring(of: graph.circle)
            keyring.add(written.keys, of: epoch.hash)
            let entries = try keyring.stored(
                [.circleSecret, .zoneKey(epoch.hash, .a), .zoneKey(epoch.hash, .c)],
                by: EnclaveKeyringWrapping(parts.enclave))
            try enter(parts, record, graph, [epoch], founding: signed, entries, hasJoined: true, more)
        } catch {
            try? identity.delete()
            throw error
        }
        guard let engine = try SyncEngine(parts) else { throw SyncFailure.notInCircle }
        return engine
    }

    /// Enters a circle that has admitted the keys of this device.
    /// - Parameters:
    ///   - statements: of the circle, in any order, the founding statement among them.
    ///   - heads: statements that must be among them.
    ///   - approver: the member that must have admitted this device, if only one will do.
    ///   - more: writes more of the circle in the same transaction.
    package static func enter(
        _ parts: SyncParts, as record: IdentityRecord, _ statements: [SignedStatement], founding: ObjectHash,
        knowing heads: Set<ObjectHash> = [], admittedBy approver: DeviceIdentifier? = nil,
        storing more: @escaping (ItemWriter) throws -> Void = { _ in }
    ) throws -> SyncEngine {
        guard try parts.items.read({ try $0.syncDevice() }) == nil else { throw SyncFailure.alreadyInCircle }
        guard let first = statements.first(where: { $0.hash == founding }) else { throw SyncFailure.notAdmitted }
        var graph = try StatementGraph(founding: first, verifier: P256StatementVerifier())
        let results = graph.insert(all: statements, verifier: P256StatementVerifier())
        guard heads.allSatisfy(graph.contains), graph.admits(record.publicKeys, through: approver) else {
            throw SyncFailure.notAdmitted
        }
        let accepted = zip(statements, results).filter { $0.1 == .accepted }.map(\.0)
        try enter(parts, record, graph, accepted, founding: first, [], hasJoined: false, more)
        guard let engine = try SyncEngine(parts) else { throw SyncFailure.notInCircle }
        return engine
    }

    private static func enter(
        _ parts: SyncParts, _ record: IdentityRecord, _ graph: StatementGraph, _ statements: [SignedStatement],
        founding: SignedStatement, _ keys: [StoredKeyringEntry], hasJoined: Bool,
        _ more: @escaping (ItemWriter) throws -> Void
    ) throws {
        try parts.items.enterCircle(as: record.publicKeys.identifier.bytes) { writer in
            try writer.setSyncValue(record.bytes, named: CircleValue.identity)
            try writer.setSyncValue(founding.bytes, named: CircleValue.founding)
            try writer.set(hasJoined, CircleValue.hasJoined)
            for statement in statements {
                try writer.addSyncStatement(SyncStatementRow(hash: statement.hash.bytes, bytes: statement.bytes))
            }
            try SyncMembership.raiseClock(graph, writer)
            try SyncMembership.write(keys, graph, writer)
            try more(writer)
        }
    }

    /// Admits a device. Its keys came from the device itself: the caller has authenticated them.
    package func admit(_ keys: DevicePublicKeys, provedIn context: ContextIdentifier) throws {
        try requireMembership()
        let state = membership
        guard let epoch = state.writingEpoch, let content = environment.graph[epoch.hash]?.statement.body.epoch,
            environment.keyring.key(of: epoch.hash, .a) != nil
        else { throw SyncFailure.locked }
        let share = try EpochWriter(environment.keyring).shares(of: epoch.hash, content, for: .device(keys))
        let admission = Admission(
            keys: keys, share: share.map { Admission.Share(epoch: epoch.hash, shares: $0) })
        try decide(.admit(admission), provedIn: context, owesSnapshot: true)
    }

    /// Removes a device and creates an epoch without it, in one statement.
    /// - Parameters:
    ///   - erases: true to ask the device to delete what it has of the circle.
    ///   - newRecovery: needed if the device knows the current recovery code.
    package func remove(
        _ device: DeviceIdentifier, erases: Bool = false, newRecovery: RecoveryKeys? = nil,
        provedIn context: ContextIdentifier
    ) throws {
        try requireMembership()
        let graph = environment.graph
        guard let place = graph.nextPlace(for: identity.party) else { throw SyncFailure.tooManyStatements }
        let recipients = membership.epochRecipients(
            removing: device, newKeys: newRecovery?.publicKeys.identifier
        ).compactMap { party in
            newRecovery.map { .recovery($0.publicKeys) }.flatMap { $0.party == party ? $0 : nil }
                ?? graph.keys(of: party)
        }
        let written = try nextEpoch(place, for: recipients)
        let counted = CountedSegments(
            a: self.state.vector[StreamIdentifier(device, .a)], c: self.state.vector[StreamIdentifier(device, .c)])
        let removal = Removal(
            device: device, counted: counted, erases: erases, epoch: written.epoch,
            recovery: newRecovery?.publicKeys)
        try decide(.remove(removal), newRecovery: newRecovery, provedIn: context, owesSnapshot: true)
    }

    /// Ends the membership of this device.
    package func leave(provedIn context: ContextIdentifier) throws {
        try requireMembership()
        let counted = CountedSegments(
            a: state.vector[StreamIdentifier(device, .a)], c: state.vector[StreamIdentifier(device, .c)])
        try decide(.leave(Leave(counted: counted)), provedIn: context)
    }

    /// Replaces the recovery code of the circle, and gives the new one the keys.
    package func replaceRecovery(by recovery: RecoveryKeys, provedIn context: ContextIdentifier) throws {
        try requireMembership()
        try decide(
            .recovery(RecoveryReplacement(keys: recovery.publicKeys)), newRecovery: recovery, provedIn: context)
        // The code stands. Without these shares another member gives it the keys.
        try? shareKeys()
        decided(owesSnapshot: false)
    }

    /// Changes the groups that are shared although they are local by default.
    package func allow(_ groups: Set<GroupName>, provedIn context: ContextIdentifier) throws {
        try requireMembership()
        let settings = try CircleSettings(
            allowedGroups: groups, storedByteLimit: membership.settings.storedByteLimit)
        try parts.items.write { try $0.nameAllAgain() }
        try decide(.settings(settings), provedIn: context)
    }

    /// Goes on under new keys.
    package func changeKeys() throws {
        try requireMembership()
        try writeEpoch()
        decided(owesSnapshot: false)
    }

    /// Creates an epoch to write in.
    func writeEpoch() throws {
        var graph = environment.graph
        guard let place = graph.nextPlace(for: identity.party) else { throw SyncFailure.tooManyStatements }
        let written = try nextEpoch(place, for: membership.epochRecipients.compactMap { graph.keys(of: $0) })
        let signed = try Self.place(.epoch(written.epoch), in: &graph, by: environment.signer, parts)
        try store(signed, graph)
    }

    private func nextEpoch(_ place: StatementPlace, for recipients: [PartyKeys]) throws(EpochFailure) -> NewEpoch {
        // A member can write an epoch whose keys no device gets; it must not stop this one.
        let earlier = environment.graph.epochsToWrap().filter { epoch in
            ZoneClass.allCases.allSatisfy { environment.keyring.key(of: epoch, $0) != nil }
        }
        return try EpochWriter(environment.keyring).next(
            place.epochNumber, for: recipients, wrapping: earlier, entropy: parts.entropy)
    }

    /// Gives the keys of the epoch for writing to the members that lack them: a device that was admitted while another removal or epoch
    /// was on its way.
    func shareKeys() throws {
        var graph = environment.graph
        let state = membership
        guard parts.lockState == .unlocked, state.members.contains(device), let epoch = state.writingEpoch,
            let content = graph[epoch.hash]?.statement.body.epoch, environment.keyring.key(of: epoch.hash, .a) != nil
        else { return }
        var shares: [CircleParty: ZoneShares] = [:]
        for party in state.missingShares {
            guard let keys = graph.keys(of: party) else { continue }
            shares[party] = try EpochWriter(environment.keyring).shares(of: epoch.hash, content, for: keys)
        }
        guard !shares.isEmpty else { return }
        let signed = try Self.place(
            .share(try Sharing(epoch: epoch.hash, shares: shares)), in: &graph, by: environment.signer, parts)
        try store(signed, graph)
    }

    private func requireMembership() throws {
        guard membership.members.contains(device) else { throw SyncFailure.notAdmitted }
        guard parts.lockState == .unlocked else { throw SyncFailure.locked }
    }

    private func decide(
        _ body: StatementBody, newRecovery: RecoveryKeys? = nil, provedIn context: ContextIdentifier,
        owesSnapshot: Bool = false
    ) throws {
        var graph = environment.graph
        let signer = StatementSigner(identity.provingPasscode(in: context))
        let signed = try Self.place(body, in: &graph, by: signer, newRecovery: newRecovery, parts)
        try store(signed, graph, owesSnapshot: owesSnapshot)
        decided(owesSnapshot: owesSnapshot)
    }

    /// Stores a statement of this device here, and then, if it answers, in the store.
    /// - Parameter owesSnapshot: true for an admission or a removal.
    private func store(_ signed: SignedStatement, _ graph: StatementGraph, owesSnapshot: Bool = false) throws {
        var hasVersions = false
        try parts.items.write { writer in
            try writer.addSyncStatement(SyncStatementRow(hash: signed.hash.bytes, bytes: signed.bytes))
            hasVersions = try SyncMembership.raiseClock(graph, writer)
            // A crash before the replica has heard of the decision must not forget it.
            if owesSnapshot { try writer.set(true, CircleValue.owesSnapshot) }
        }
        environment.graph = graph
        if hasVersions { reportAgain() }
        // The next exchange writes what the store lacks.
        do throws(StoreFailure) {
            try store.create([.statement(signed.hash): signed.bytes])
        } catch {
            writeFailure = error
        }
    }

    /// Makes a statement at the next place of its author, and inserts it.
    private static func place(
        _ body: StatementBody, in graph: inout StatementGraph, by signer: StatementSigner,
        newRecovery: RecoveryKeys? = nil, _ parts: SyncParts
    ) throws -> SignedStatement {
        guard let place = graph.nextPlace(for: signer.party) else { throw SyncFailure.tooManyStatements }
        let statement = try Statement(
            circle: graph.circle, author: signer.party, index: place.index, parents: place.parents, date: parts.date,
            body: body)
        let signed = try signer.signed(statement, newRecovery: newRecovery)
        switch graph.insert(signed, verifier: P256StatementVerifier()) {
        case .accepted, .known: return signed
        case .refused(let refusal): throw SyncFailure.refusedStatement(refusal)
        case .waiting: throw SyncFailure.notAdmitted
        }
    }
}

extension SyncParts {
    /// Microseconds since 2001-01-01 00:00:00 UTC.
    var date: Int64 { Int64(clamping: now.wallClock) }
}

/// Statements, for others to look at.
extension SyncEngine {
    /// The statements of the circle as they are stored, for a device that enters it.
    package var signedStatements: (all: [SignedStatement], founding: ObjectHash) {
        get throws {
            let stored = try parts.items.read { reader in
                (try reader.syncValue(named: CircleValue.founding) ?? [], try reader.syncStatements().map(\.bytes))
            }
            let founding = try SignedStatement(parsing: stored.0)
            return ([founding] + (try stored.1.map { try SignedStatement(parsing: $0) }), founding.hash)
        }
    }
}
