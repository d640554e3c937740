import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// The answer of ``SignWithKey`` and ``SignMessageWithKey``.
package struct EnclaveKeySignature: Sendable, Hashable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}

extension EnclaveKeySignature: KeychainAnswer {
    package static let replyNumber: Int64 = 2

    /// A DER signature of ECDSA over P-256 has at most 72 bytes, ML-DSA makes longer ones.
    private static let byteLimit = EnclaveKeyKind.allCases.compactMap(\.messageSignatureByteCount).max() ?? 0

    package func write(to writer: inout FieldWriter) {
        writer.data(bytes)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        bytes = try fields.bytes("signature", 1...Self.byteLimit)
    }
}

/// The answer of ``AgreeWithKey`` and ``DecapsulateWithKey``: 32 bytes, for P-256 the x-coordinate of the shared point,
/// for ML-KEM the shared secret.
package struct EnclaveKeySecret: Sendable {
    package let secret: SecretBox

    package init(_ secret: SecretBox) {
        self.secret = secret
    }
}

extension EnclaveKeySecret: KeychainAnswer {
    package static let replyNumber: Int64 = 3

    package func write(to writer: inout FieldWriter) {
        writer.secret(secret)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        secret = try fields.secret("secret")
    }
}
