/// A statement with its signatures, which have not been verified: its content must not be used.
package struct SignedStatement: Hashable, Sendable {
    /// The content, whose author is not verified.
    let claim: Statement
    /// The identity of the statement. Its signatures are not part of it.
    package let hash: ObjectHash
    private let frame: ObjectFrame
    private let signatures: [StatementSignature]

    /// Makes a statement from signatures over ``ObjectContent/signedBytes``.
    ///
    /// - Parameters:
    ///   - signature: made with the author's key.
    ///   - newRecoverySignature: made with the new signing key of a statement that introduces recovery keys.
    package init(
        _ statement: Statement, signature: StatementSignature, newRecoverySignature: StatementSignature? = nil
    ) throws(StatementFailure) {
        let signatures = [signature] + (newRecoverySignature.map { [$0] } ?? [])
        try self.init(statement, try statement.content(), signatures.flatMap(\.bytes))
    }

    /// Parses unchecked bytes.
    package init(parsing bytes: [UInt8]) throws(StatementFailure) {
        let frame: ObjectFrame
        do throws(ObjectFailure) {
            frame = try ObjectFrame(parsing: bytes)
        } catch {
            throw .object(error)
        }
        try self.init(try Statement(parsing: frame.content), frame.content, frame.signature)
    }

    private init(_ statement: Statement, _ content: ObjectContent, _ signature: [UInt8]) throws(StatementFailure) {
        let expected = StatementSignature.byteCount * (statement.body.recoveryKeys == nil ? 1 : 2)
        guard signature.count == expected else {
            throw .badSignatureLength(expected: expected, found: signature.count)
        }
        var reader = FixedBytesReader(signature)
        var signatures: [StatementSignature] = []
        while let next = reader.next(StatementSignature.self) { signatures.append(next) }
        do throws(ObjectFailure) {
            frame = try ObjectFrame(content, signature: signature)
        } catch {
            throw .object(error)
        }
        claim = statement
        hash = content.hash
        self.signatures = signatures
    }

    /// The whole object, as it is stored.
    package var bytes: [UInt8] { frame.bytes }

    /// Returns the verified form. Throws unless `keys` are the author's and every signature is valid.
    package func verified(
        with keys: PartyKeys, by verifier: some StatementVerifying
    ) throws(StatementFailure) -> VerifiedStatement {
        guard keys.party == claim.author else { throw .otherKeys }
        var signers = [claim.body.signingKey(of: keys)]
        if let newKeys = claim.body.recoveryKeys { signers.append(newKeys.signing) }
        let message = frame.content.signedBytes
        guard
            signers.count == signatures.count,
            zip(signers, signatures).allSatisfy({ verifier.verifies($1, over: message, publicKey: $0) })
        else { throw .badSignature }
        return VerifiedStatement(verified: self)
    }
}

/// A statement whose signatures are valid.
package struct VerifiedStatement: Hashable, Sendable {
    package let statement: Statement
    package let hash: ObjectHash

    fileprivate init(verified signed: SignedStatement) {
        statement = signed.claim
        hash = signed.hash
    }

    /// Makes a statement without signatures, under any hash.
    package init(testOnlyUnsigned statement: Statement, hash: ObjectHash) {
        self.statement = statement
        self.hash = hash
    }

    /// The circle that the statement belongs to.
    package var circle: CircleIdentifier {
        if let circle = statement.circle { return circle }
        guard let circle = CircleIdentifier(hash.bytes.prefix(CircleIdentifier.byteCount)) else {
            preconditionFailure("a hash has more than 16 bytes")
        }
        return circle
    }
}

extension StatementBody {
    fileprivate func signingKey(of keys: PartyKeys) -> P256PublicKey {
        switch keys {
        case .device(let keys): isSignedWithLogKey ? keys.log : keys.statement
        case .recovery(let keys): keys.signing
        }
    }
}
