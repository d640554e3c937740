import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveCore
import LatchkeyEnclaveService
import LatchkeySecretMemory
import Testing

/// A key that the enclave made and keeps to itself.
struct OwnKey: Sendable {
    let blob: [UInt8]
    let publicKey: [UInt8]
    let accessControl: AccessControl
}

/// What is done with such a key.
enum OwnKeyUse: String, CaseIterable, Sendable {
    case sign, agree
}

extension TestDevice {
    static let digest = Array(UInt8(1)...32)

    /// What both sides can be: the base point's multiple of some number.
    static let peer = Self.generatedPeer()

    private static func generatedPeer() -> [UInt8] {
        let key = try? PrivateKey(generating: .ellipticCurve(.p256))
        return key?.publicKey.externalRepresentation ?? []
    }

    func reply(to request: EnclaveKeyRequest) -> EnclaveReply {
        enclave.perform(.key(request))
    }

    func createReply(
        _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked,
        context: ContextIdentifier? = nil
    ) throws -> EnclaveReply {
        let control = try AccessControl(protection: protection, flags: flags.union(.privateKeyUsage))
        return reply(to: .create(accessControl: control, context: context))
    }

    func ownKey(
        _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked,
        context: ContextIdentifier? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> OwnKey {
        let reply = try createReply(flags, protection, context: context)
        guard case .key(.created(let blob, let publicKey)) = reply else {
            Issue.record("expected a key, got \(reply)", sourceLocation: location)
            throw Unexpected()
        }
        let parsed = try EnclaveKeyBlob(parsing: blob)
        return OwnKey(blob: blob, publicKey: publicKey, accessControl: parsed.accessControl)
    }

    /// Nil if the key did it, and did it right; else why not.
    func refusal(
        _ use: OwnKeyUse, _ key: OwnKey, with context: ContextIdentifier? = nil, blob: [UInt8]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) -> KeyRefusal? {
        let blob = blob ?? key.blob
        let reply =
            switch use {
            case .sign: reply(to: .sign(blob: blob, digest: Self.digest, context: context))
            case .agree: reply(to: .agree(blob: blob, peer: Self.peer, context: context))
            }
        switch reply {
        case .key(.signature(let signature)) where use == .sign:
            #expect(isSigned(signature, Self.digest, by: key.publicKey), sourceLocation: location)
            return nil
        case .key(.agreed(let secret)) where use == .agree:
            #expect(secret.count == 32, sourceLocation: location)
            return nil
        case .key(.refused(let refusal)):
            return refusal
        default:
            Issue.record("\(use.rawValue) was answered with \(reply)", sourceLocation: location)
            return nil
        }
    }

    func description(of key: OwnKey) throws -> KeyDescription {
        guard case .key(.described(let descriptions)) = reply(to: .describe([key.blob])), descriptions.count == 1 else {
            throw Unexpected()
        }
        return descriptions[0]
    }

    /// Why a key is not there any more; nil if it is, with everything that belongs to it.
    func isGone(_ key: OwnKey) throws -> KeyRefusal? {
        switch try description(of: key) {
        case .gone(let refusal): return refusal
        case .present(let publicKey, let accessControl):
            #expect(publicKey == key.publicKey)
            #expect(accessControl == key.accessControl)
            return nil
        }
    }

    func delete(_ keys: OwnKey..., location: SourceLocation = #_sourceLocation) throws {
        let reply = reply(to: .delete(keys.map(\.blob)))
        guard case .key(.done) = reply else {
            Issue.record("expected done, got \(reply)", sourceLocation: location)
            throw Unexpected()
        }
    }
}

func isSigned(_ signature: [UInt8], _ digest: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard let key = try? PublicKey(externalRepresentation: publicKey, type: .ellipticCurve) else { return false }
    let algorithm = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)
    return (try? key.verify(signature, over: digest, algorithm)) != nil
}
