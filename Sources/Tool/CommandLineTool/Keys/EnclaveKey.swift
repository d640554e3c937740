package import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// A private key in the enclave: it signs and agrees there, and its number is never here.
struct EnclaveKey: Sendable {
    let device: DeviceAccess
    /// The wrapped key, which only the enclave that made it can open.
    let blob: [UInt8]
    let interaction: Interaction?

    func publicKey() throws(CommandFailure) -> PublicKey {
        try Self.publicKey(device.ask(DescribeEnclaveKey(blob)).publicKey)
    }

    /// A signature over a digest, in the form that the algorithm names.
    func sign(_ digest: [UInt8], _ algorithm: SignatureName) throws(CommandFailure) -> [UInt8] {
        guard [.ecdsaX962, .ecdsaRFC4754].contains(algorithm.scheme) else {
            throw CommandFailure(.unsupported, doing: algorithm.text)
        }
        let der = try device.ask(SignWithKey(blob, digest: digest, interaction)).bytes
        guard algorithm.scheme == .ecdsaRFC4754 else { return der }
        guard let raw = ECDSASignature.raw(der: der, curve: .p256) else { throw .unexpectedReply }
        return raw
    }

    /// The x coordinate of the point that both sides get.
    func agree(with peer: PublicKey) throws(CommandFailure) -> SecretBox {
        guard peer.kind == .ellipticCurve(.p256) else {
            throw CommandFailure(
                .badInput(reason: "The peer's key is on another curve."), doing: "agreeing on a secret")
        }
        return try device.ask(AgreeWithKey(blob, peer: peer.externalRepresentation, interaction)).secret
    }

    static func publicKey(_ point: [UInt8]) throws(CommandFailure) -> PublicKey {
        do {
            return try PublicKey(externalRepresentation: point, type: .ellipticCurve)
        } catch {
            throw .unexpectedReply
        }
    }
}

/// A secret that both sides have agreed on already, for deriving keys from it.
struct AgreedSecret: PrivateKeyOperations {
    let publicKey: PublicKey
    let secret: SecretBox

    func sign(_ signed: [UInt8], _ algorithm: SignatureAlgorithm) throws(KeyOperationFailure) -> [UInt8] {
        throw .unsupported
    }

    func agree(with peer: PublicKey) throws(KeyOperationFailure) -> SecretBox { secret }
}

extension CommandFailure {
    /// Describes bytes that are not a key, or a key that no file can hold.
    package init(_ failure: KeyFailure, in place: String) {
        switch failure {
        case .unreadable(let reason):
            self.init(.inputMalformed, "\(place) holds no key that can be read.", why: reason)
        case .unsupported(let what):
            self.init(
                .inputMalformed, "\(place) holds a key of a kind that is not taken.", why: what,
                advice: "RSA of 512 to 8192 bits and the curves P-192, P-224, P-256, P-384 and P-521 are.")
        case .passphraseNeeded:
            self.init(.secretUnreadable, "The key in \(place) is encrypted.", advice: "Give its passphrase.")
        case .wrongPassphrase:
            self.init(
                .wrongPassphrase, "\(place) does not open.",
                why: "This is not its passphrase, or the file is damaged.", advice: "Try again; nothing was changed.")
        }
    }

    /// An operation that a key did not do; `deed` says which.
    package init(_ failure: KeyOperationFailure, doing deed: String) {
        switch failure {
        case .unsupported:
            self.init(
                .keyUnsuitable, "This key cannot do it: \(deed).", why: "Its kind or its size does not go with that.",
                advice: "`latchkey key list` shows what kind it is.")
        case .badInput(let reason):
            self.init(.keyUnsuitable, "This key cannot do it: \(deed).", why: reason)
        case .notDecryptable, .notSigned:
            self.init(.signatureNotVerified, "The signature does not verify.")
        case .refused(let status, let reason):
            let refusal: Refusal? = reason.isEmpty ? nil : .withoutRule(reason: reason)
            self.init(ItemReply(code: ResultCode(rawValue: status), refusal: refusal))
        }
    }
}
