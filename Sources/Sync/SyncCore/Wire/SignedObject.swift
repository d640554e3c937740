/// The content of an object that its device signs with the log key.
package protocol LoggedContent: Sendable {
    var circle: CircleIdentifier { get }
    /// The device that writes the object.
    var writer: DeviceIdentifier { get }

    init(parsing content: ObjectContent) throws(StatementFailure)
    func content() throws(StatementFailure) -> ObjectContent
}

/// An object with its signature, which has not been verified: its content must not be used.
package struct SignedObject<Content: LoggedContent>: Sendable {
    /// Says which keys verify the object, and nothing else.
    package var claimedWriter: DeviceIdentifier { claim.writer }
    /// The identity of the object.
    package let hash: ObjectHash
    let claim: Content
    private let frame: ObjectFrame
    private let signature: StatementSignature

    /// Parses unchecked bytes.
    package init(parsing bytes: [UInt8]) throws(StatementFailure) {
        do throws(ObjectFailure) {
            frame = try ObjectFrame(parsing: bytes)
        } catch {
            throw .object(error)
        }
        guard let signature = StatementSignature(frame.signature) else {
            throw .badSignatureLength(expected: StatementSignature.byteCount, found: frame.signature.count)
        }
        self.signature = signature
        claim = try Content(parsing: frame.content)
        hash = frame.content.hash
    }

    /// Returns the content. Throws unless the object belongs to the circle, `keys` are the writer's, and the signature is valid.
    package func verified(
        in circle: CircleIdentifier, with keys: DevicePublicKeys, by verifier: some StatementVerifying
    ) throws(StatementFailure) -> VerifiedObject<Content> {
        guard circle == claim.circle else { throw .otherCircle }
        guard keys.identifier == claim.writer else { throw .otherKeys }
        guard verifier.verifies(signature, over: frame.content.signedBytes, publicKey: keys.log) else {
            throw .badSignature
        }
        return VerifiedObject(content: claim, hash: hash, byteCount: frame.bytes.count)
    }
}

/// An object whose signature is valid.
package struct VerifiedObject<Content: LoggedContent>: Sendable {
    package let content: Content
    package let hash: ObjectHash
    /// Of the whole object.
    package let byteCount: Int

    fileprivate init(content: Content, hash: ObjectHash, byteCount: Int) {
        self.content = content
        self.hash = hash
        self.byteCount = byteCount
    }

    package var seal: ObjectSeal { ObjectSeal(hash: hash, byteCount: byteCount) }
}

extension LoggedContent {
    /// Returns the bytes of the object with a signature over ``ObjectContent/signedBytes``.
    package func bytes(signature: StatementSignature) throws(StatementFailure) -> [UInt8] {
        let content = try content()
        do throws(ObjectFailure) {
            return try ObjectFrame(content, signature: signature.bytes).bytes
        } catch {
            throw .object(error)
        }
    }
}
