import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeySecretMemory
import Testing

/// A key that the enclave made and keeps to itself.
struct OwnKey: Sendable {
    let blob: [UInt8]
    let publicKey: [UInt8]
    let accessControl: AccessControl
}

/// A use of such a key.
enum OwnKeyUse: String, CaseIterable, Sendable {
    case sign, agree
}

extension TestDevice {
    static let digest = Array(UInt8(1)...32)

    /// A point that can be either side's: the base point's multiple of some number.
    static let peer = Self.generatedPeer()

    private static func generatedPeer() -> [UInt8] {
        let key = try? PrivateKey(generating: .ellipticCurve(.p256))
        return key?.publicKey.externalRepresentation ?? []
    }

    func makeKey(
        _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked,
        context: ContextIdentifier? = nil
    ) throws -> NewKeyAnswer {
        let control = try AccessControl(protection: protection, flags: flags.union(.privateKeyUsage))
        return try enclave.ask(MakeKey(under: control, context: context))
    }

    func ownKey(
        _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked,
        context: ContextIdentifier? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> OwnKey {
        let answer = try makeKey(flags, protection, context: context)
        guard case .created(let blob, let publicKey) = answer else {
            Issue.record("expected a key, got \(answer)", sourceLocation: location)
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
        do throws(EnclaveRefusal) {
            switch use {
            case .sign:
                switch try enclave.ask(SignDigest(Self.digest, with: blob, context: context)) {
                case .signed(let signature):
                    #expect(isSigned(signature, Self.digest, by: key.publicKey), sourceLocation: location)
                case .refused(let refusal): return refusal
                case .lacks(let proof): return refusal(proof, for: key, with: context, location)
                case let answer: Issue.record("a digest was answered with \(answer)", sourceLocation: location)
                }
            case .agree:
                switch try enclave.ask(AgreeOnKey(with: Self.peer, by: blob, context: context)) {
                case .agreed(let secret): #expect(secret.count == 32, sourceLocation: location)
                case .refused(let refusal): return refusal
                case .lacks(let proof): return refusal(proof, for: key, with: context, location)
                case let answer: Issue.record("a peer was answered with \(answer)", sourceLocation: location)
                }
            }
        } catch {
            Issue.record("\(use.rawValue) was refused: \(error)", sourceLocation: location)
        }
        return nil
    }

    /// Returns a refusal. One for a missing proof says all that a prompt needs, and where the proof goes.
    func refusal(
        _ proof: MissingProof, for key: OwnKey, with context: ContextIdentifier?, _ location: SourceLocation
    ) -> KeyRefusal {
        #expect(proof.accessControl == key.accessControl, sourceLocation: location)
        let operation: GuardedOperation =
            switch EnclaveKeyKind(publicKeyByteCount: key.publicKey.count) {
            case .mlkem768, .mlkem1024: .decapsulate
            case .p256, .mldsa65, .mldsa87, nil: .sign
            }
        let demand = AuthenticationDemand.accessControl(key.accessControl, operation)
        let assessed = try? enclave.ask(AssessDemand(demand, in: proof.context))
        guard case .known(proof.verdict)? = assessed else {
            Issue.record("the refusal says \(proof.verdict), and an assessment \(String(describing: assessed))")
            return .authenticationNeeded
        }
        if let context {
            #expect(proof.context == context, sourceLocation: location)
        } else if case .known? = try? enclave.ask(CloseContext(proof.context)) {
            return .authenticationNeeded
        } else {
            Issue.record("no context was opened for the proof", sourceLocation: location)
        }
        return .authenticationNeeded
    }

    func description(of key: OwnKey) throws -> KeyDescription {
        let descriptions = try enclave.ask(DescribeKeys([key.blob]))
        guard descriptions.count == 1 else { throw Unexpected() }
        return descriptions[0]
    }

    /// Returns the reason why a key is gone; nil if it is there, with everything that belongs to it.
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
        try expectDone(DeleteKeys(keys.map(\.blob)), location)
    }
}

func isSigned(_ signature: [UInt8], _ digest: [UInt8], by publicKey: [UInt8]) -> Bool {
    guard let key = try? PublicKey(externalRepresentation: publicKey, type: .ellipticCurve) else { return false }
    let algorithm = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)
    return (try? key.verify(signature, over: digest, algorithm)) != nil
}
