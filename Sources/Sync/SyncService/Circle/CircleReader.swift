internal import LatchkeySyncCore
internal import LatchkeySyncKeys
internal import LatchkeySyncStore

/// Reads a circle to which this device does not belong.
enum CircleReader {
    /// The writer of a store that is only read.
    static let nobody: DeviceIdentifier = {
        guard let zeros = DeviceIdentifier([UInt8](repeating: 0, count: DeviceIdentifier.byteCount)) else {
            preconditionFailure("an identifier can have any bytes")
        }
        return zeros
    }()

    /// Returns the statements that the store shows, unverified.
    static func statements(in store: any SyncStore) throws(StoreFailure) -> [SignedStatement] {
        let names = try store.list(.statements).names
        return try store.readAll(names).objects.values.compactMap { try? SignedStatement(parsing: $0) }
    }

    /// A circle with the statements that the store shows, those that stand and others.
    struct Found {
        var graph: StatementGraph
        var statements: [SignedStatement]
        let founding: ObjectHash
    }

    /// Returns the statements that the store shows; nil if the founding is missing.
    static func found(_ circle: CircleIdentifier, in store: any SyncStore) throws(StoreFailure) -> Found? {
        let statements = try statements(in: store)
        guard let founding = statements.first(where: { $0.hash.bytes.starts(with: circle.bytes) }),
            var graph = try? StatementGraph(founding: founding, verifier: P256StatementVerifier())
        else { return nil }
        _ = graph.insert(all: statements, verifier: P256StatementVerifier())
        return Found(graph: graph, statements: statements, founding: founding.hash)
    }

    /// Returns the circle of a recovery code; nil if no circle of the store has it.
    static func circle(of recovery: RecoveryKeys, in circles: any CircleStores) throws(StoreFailure) -> Found? {
        for circle in try circles.circles() {
            guard let found = try found(circle, in: circles.store(of: circle, writer: nobody)),
                found.graph.state().recoveryKeys.identifier == recovery.publicKeys.identifier
            else { continue }
            return found
        }
        return nil
    }

    /// Returns the circle in which a device with the fingerprint is a member, and that device; nil if the store shows none.
    ///
    /// The fingerprint covers the circle: another one that has the same device is not found. The state may be an old one.
    static func circle(
        of fingerprint: DeviceFingerprint, in circles: any CircleStores
    ) throws(StoreFailure) -> (found: Found, member: DeviceIdentifier)? {
        for circle in try circles.circles() {
            guard let found = try found(circle, in: circles.store(of: circle, writer: nobody)) else { continue }
            let members = found.graph.state().members
            for statement in found.graph.statements {
                guard let keys = statement.statement.body.deviceKeys, members.contains(keys.identifier),
                    DeviceFingerprint(of: keys, in: circle) == fingerprint
                else { continue }
                return (found, keys.identifier)
            }
        }
        return nil
    }

    /// Returns the settings of the circle of an invitation; nil if the store does not show every statement that the invitation
    /// names.
    static func settings(
        of invitation: Invitation, in circles: any CircleStores
    ) throws(StoreFailure) -> CircleSettings? {
        let store = circles.store(of: invitation.circle, writer: nobody)
        guard let found = try found(invitation.circle, in: store), found.founding == invitation.founding,
            invitation.statementHeads.isSubset(of: found.graph.statements.map(\.hash))
        else { return nil }
        return found.graph.state().settings
    }

    /// Returns the invitation that a code authenticates, in any of the circles of a store; nil if there is none.
    static func invitation(_ keys: InvitationKeys, in circles: any CircleStores) throws(StoreFailure) -> Invitation? {
        guard let name = ExchangeName(keys.invitationName).map(StoreObjectName.exchange) else { return nil }
        for circle in try circles.circles() {
            guard let bytes = try circles.store(of: circle, writer: nobody).readAll([name]).objects[name],
                let content = keys.member.content(of: bytes),
                let invitation = try? Invitation(parsing: content), invitation.circle == circle
            else { continue }
            return invitation
        }
        return nil
    }
}
