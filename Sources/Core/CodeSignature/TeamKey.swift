import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// A team's private key: its holder decides which program is which application of the team.
package final class TeamKey: Sendable {
    package let publicKey: TeamPublicKey
    private let key: PrivateKey

    /// The size limit of a text with a key.
    private static let textByteLimit = 64 * 1024
    static let algorithm = SignatureAlgorithm(.ecdsaX962, .sha256, takesMessage: true)

    private init(_ key: PrivateKey) throws(SignatureFailure) {
        guard key.publicKey.kind == .ellipticCurve(.p256),
            let publicKey = TeamPublicKey(key.publicKey.externalRepresentation)
        else { throw .keyOfOtherKind }
        self.key = key
        self.publicKey = publicKey
    }

    package static func generate() -> TeamKey {
        guard let key = try? PrivateKey(generating: .ellipticCurve(.p256)), let teamKey = try? TeamKey(key) else {
            preconditionFailure("libcrypto makes no key of P-256")
        }
        return teamKey
    }

    /// Reads the key of a PEM text; an encrypted one needs its passphrase.
    package convenience init(pem: SecretBox, passphrase: SecretBox?) throws(SignatureFailure) {
        guard pem.count <= Self.textByteLimit else { throw .keyUnreadable }
        let key: PrivateKey
        do throws(KeyFailure) {
            key = try PrivateKey(encoded: pem, passphrase: passphrase)
        } catch {
            switch error {
            case .passphraseNeeded: throw .keyNeedsPassphrase
            case .wrongPassphrase: throw .keyPassphraseRefused
            case .unreadable: throw .keyUnreadable
            case .unsupported: throw .keyOfOtherKind
            }
        }
        try self.init(key)
    }

    /// Writes PKCS#8 as PEM, encrypted if there is a passphrase.
    package func pem(passphrase: SecretBox?) -> SecretBox {
        key.pem(passphrase: passphrase)
    }

    package func sign(_ statement: SignatureStatement) throws(SignatureFailure) -> ProgramSignature {
        guard statement.team == publicKey.identifier else {
            throw .teamMismatch(expected: publicKey.identifier, found: statement.team.text)
        }
        guard let proof = try? key.sign(ProgramSignature.context + statement.encoded(), Self.algorithm) else {
            preconditionFailure("a key of P-256 signs every message")
        }
        let signature = ProgramSignature(statement: statement, key: publicKey, signature: proof)
        let byteCount = signature.encoded().count
        guard byteCount <= ProgramSignature.byteLimit else { throw .tooLarge(byteCount: byteCount) }
        return signature
    }
}
