import LatchkeyAsymmetricKeys
import LatchkeyPropertyListDER

/// A statement, the key of the team that made it, and the proof.
package struct ProgramSignature: Sendable, Hashable {
    /// The longest encoding: what fits into a note behind its length.
    package static let byteLimit = SignatureNote.descriptorByteCount - 4
    /// The prefix of the signed statement, so that no other message of the key can pass for one.
    static let context = Array("latchkey code signature\0".utf8)
    /// The maximum length of a P-256 signature in DER.
    private static let proofLimit = 72

    package let statement: SignatureStatement
    package let key: TeamPublicKey
    /// ECDSA with SHA-256, in ASN.1 DER.
    package let signature: [UInt8]

    private enum Field {
        static let statement = "statement"
        static let key = "key"
        static let signature = "signature"
        static let count = 3
    }

    package init(statement: SignatureStatement, key: TeamPublicKey, signature: [UInt8]) {
        self.statement = statement
        self.key = key
        self.signature = signature
    }

    /// Parses the form of a signature. ``check(digest:)`` verifies it.
    package init(decoding bytes: [UInt8]) throws(SignatureFailure) {
        guard bytes.count <= Self.byteLimit else { throw .tooLarge(byteCount: bytes.count) }
        let fields = try SignatureFields(decoding: bytes, what: "record")
        try fields.expect(count: Field.count)
        guard let key = TeamPublicKey(try fields.data(Field.key)) else {
            throw .malformed("its key is not a P-256 key")
        }
        self.key = key
        signature = try fields.data(Field.signature)
        guard !signature.isEmpty, signature.count <= Self.proofLimit else {
            throw .malformed("its proof has \(signature.count) bytes")
        }
        statement = try SignatureStatement(decoding: try fields.data(Field.statement))
    }

    package func encoded() -> [UInt8] {
        DERWriter.encode(
            .dictionary([
                Field.statement: .data(statement.encoded()), Field.key: .data(key.bytes),
                Field.signature: .data(signature),
            ]))
    }

    /// Throws unless the statement is that of the key's team and names the program with this digest. The device decides
    /// whether the team is trusted.
    package func check(digest: [UInt8]) throws(SignatureFailure) {
        guard key.identifier == statement.team else {
            throw .teamMismatch(expected: key.identifier, found: statement.team.text)
        }
        guard let key = key.key,
            (try? key.verify(signature, over: Self.context + statement.encoded(), TeamKey.algorithm)) != nil
        else { throw .invalid }
        guard statement.digest == digest else { throw .wrongDigest }
    }
}
