package import LatchkeySyncCore

/// A reason for which an object was not signed.
package enum SigningFailure: Error, Equatable, Sendable {
    case key(SyncKeyFailure)
    case statement(StatementFailure)
    /// The statement names another author than the holder of these keys.
    case otherAuthor
    /// The statement introduces recovery keys other than those given, or recovery keys were given without need.
    case otherRecoveryKeys
}

/// The holder of the keys with which one party signs.
package struct StatementSigner: Sendable {
    package let party: CircleParty
    private let statementKey: any ObjectSigning
    /// Nil for recovery keys, whose holder writes no statements that a log key signs.
    private let logKey: (any ObjectSigning)?

    package init(_ identity: some SyncIdentity) {
        party = identity.party
        statementKey = identity.statementKey
        logKey = identity.logKey
    }

    package init(_ recovery: RecoveryKeys) {
        party = .recovery(recovery.publicKeys.identifier)
        statementKey = recovery.signing
        logKey = nil
    }

    /// Signs a statement.
    /// - Parameter newRecovery: the recovery keys that the statement introduces, if it does.
    package func signed(
        _ statement: Statement, newRecovery: RecoveryKeys? = nil
    ) throws(SigningFailure) -> SignedStatement {
        guard statement.author == party else { throw .otherAuthor }
        guard statement.body.recoveryKeys == newRecovery?.publicKeys else { throw .otherRecoveryKeys }
        guard let key = statement.body.isSignedWithLogKey ? logKey : statementKey else { throw .otherAuthor }
        let message = try Self.translated { () throws(StatementFailure) in try statement.content().signedBytes }
        let signature = try Self.signature(by: key, over: message)
        var newRecoverySignature: StatementSignature?
        if let newRecovery { newRecoverySignature = try Self.signature(by: newRecovery.signing, over: message) }
        return try Self.translated { () throws(StatementFailure) in
            try SignedStatement(statement, signature: signature, newRecoverySignature: newRecoverySignature)
        }
    }

    /// Signs a head, a segment or a part of a snapshot.
    package func signature(over object: ObjectContent) throws(SyncKeyFailure) -> StatementSignature {
        guard let logKey else { throw .gone }
        return try logKey.sign(object.signedBytes)
    }

    private static func signature(
        by key: some ObjectSigning, over message: [UInt8]
    ) throws(SigningFailure) -> StatementSignature {
        do throws(SyncKeyFailure) { return try key.sign(message) } catch { throw .key(error) }
    }

    private static func translated<Made>(
        _ make: () throws(StatementFailure) -> Made
    ) throws(SigningFailure) -> Made {
        do throws(StatementFailure) { return try make() } catch { throw .statement(error) }
    }
}
