import CryptoSuite
package import SecretMemory

/// A team's private key: who holds it says which program is which application of the team.
package final class TeamKey: Sendable {
    package let publicKey: TeamPublicKey
    private let key: P256PrivateKey

    private init(_ key: P256PrivateKey) {
        guard let publicKey = TeamPublicKey(key.publicKey) else {
            preconditionFailure("a public key of P-256 has 65 bytes")
        }
        self.key = key
        self.publicKey = publicKey
    }

    package static func generate() -> TeamKey {
        TeamKey(P256PrivateKey.generate())
    }

    /// The key of a PEM text; an encrypted one needs its passphrase.
    package convenience init(pem: SecretBox, passphrase: SecretBox?) throws(SignatureFailure) {
        do throws(P256PrivateKey.TextFailure) {
            self.init(try P256PrivateKey(pem: pem, passphrase: passphrase))
        } catch {
            switch error {
            case .passphraseNeeded: throw .keyNeedsPassphrase
            case .doesNotOpen: throw .keyPassphraseRefused
            case .unreadable: throw .keyUnreadable
            case .otherKind: throw .keyOfOtherKind
            }
        }
    }

    /// PKCS#8 as PEM, encrypted if there is a passphrase.
    package func pem(passphrase: SecretBox?) -> SecretBox {
        key.pem(passphrase: passphrase)
    }

    package func sign(_ statement: SignatureStatement) throws(SignatureFailure) -> ProgramSignature {
        guard statement.team == publicKey.identifier else {
            throw .teamMismatch(expected: publicKey.identifier, found: statement.team.text)
        }
        let signature = ProgramSignature(
            statement: statement, key: publicKey, signature: key.sign(ProgramSignature.context + statement.encoded()))
        let byteCount = signature.encoded().count
        guard byteCount <= ProgramSignature.byteLimit else { throw .tooLarge(byteCount: byteCount) }
        return signature
    }
}
