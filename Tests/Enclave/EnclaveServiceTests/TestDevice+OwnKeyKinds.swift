import Crypto
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeySecretMemory
import Testing

/// Keys of the enclave that are not of P-256.
extension TestDevice {
    static let kinds = EnclaveKeyKind.allCases.filter { $0 != .p256 }

    func ownKey(
        _ new: NewEnclaveKey, _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked,
        context: ContextIdentifier? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> OwnKey {
        let control = try AccessControl(protection: protection, flags: flags.union(.privateKeyUsage))
        let answer = try enclave.ask(MakeKey(new, under: control, context: context))
        guard case .created(let blob, let publicKey) = answer else {
            Issue.record("expected a key, got \(answer)", sourceLocation: location)
            throw Unexpected()
        }
        let parsed = try EnclaveKeyBlob(parsing: blob)
        #expect(parsed.kind == new.kind && parsed.publicKey == publicKey, sourceLocation: location)
        return OwnKey(blob: blob, publicKey: publicKey, accessControl: parsed.accessControl)
    }

    func ownKey(
        _ kind: EnclaveKeyKind, _ flags: AccessControlFlags = [], _ protection: ProtectionClass = .whenUnlocked,
        context: ContextIdentifier? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> OwnKey {
        let new = try #require(NewEnclaveKey(rawValue: kind.rawValue))
        return try ownKey(new, flags, protection, context: context, location)
    }

    static let message = Array("a message to sign".utf8)
    static let contextString = Array("test".utf8)

    /// Nil if the key did what its kind does, and did it right; else why not.
    func useRefusal(
        _ key: OwnKey, with context: ContextIdentifier? = nil, blob: [UInt8]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws -> KeyRefusal? {
        let kind = try #require(EnclaveKeyKind(publicKeyByteCount: key.publicKey.count))
        let blob = blob ?? key.blob
        guard let (right, ciphertext) = try PublicKeys.encapsulate(to: key.publicKey, kind) else {
            return try signRefusal(key, kind, blob, context, location)
        }
        switch try enclave.ask(Decapsulate(ciphertext, with: blob, context: context)) {
        case .agreed(let secret):
            #expect(secret.withBytes { Array($0) } == right, sourceLocation: location)
        case .refused(let refusal):
            return refusal
        case .lacks(let proof):
            return refusal(proof, for: key, with: context, location)
        case let answer:
            Issue.record("the use of \(kind.name) was answered with \(answer)", sourceLocation: location)
        }
        return nil
    }

    private func signRefusal(
        _ key: OwnKey, _ kind: EnclaveKeyKind, _ blob: [UInt8], _ context: ContextIdentifier?,
        _ location: SourceLocation
    ) throws -> KeyRefusal? {
        let answer =
            try kind == .p256
            ? enclave.ask(SignDigest(Self.digest, with: blob, context: context))
            : enclave.ask(
                SignMessage(Self.message, contextString: Self.contextString, with: blob, context: context))
        switch answer {
        case .signed(let signature):
            let isRight =
                try kind == .p256
                ? isSigned(signature, Self.digest, by: key.publicKey)
                : PublicKeys.isValid(signature, Self.message, Self.contextString, by: key.publicKey, kind)
            #expect(isRight, sourceLocation: location)
        case .refused(let refusal):
            return refusal
        case .lacks(let proof):
            return refusal(proof, for: key, with: context, location)
        case .otherKind:
            Issue.record("the use of \(kind.name) was answered with \(answer)", sourceLocation: location)
        }
        return nil
    }
}

/// The operations of public keys, by swift-crypto.
enum PublicKeys {
    /// Nil for kinds that do not do it.
    static func encapsulate(
        to publicKey: [UInt8], _ kind: EnclaveKeyKind
    ) throws -> (secret: [UInt8], ciphertext: [UInt8])? {
        let result: KEM.EncapsulationResult
        switch kind {
        case .mlkem768: result = try MLKEM768.PublicKey(rawRepresentation: publicKey).encapsulate()
        case .mlkem1024: result = try MLKEM1024.PublicKey(rawRepresentation: publicKey).encapsulate()
        case .p256, .mldsa65, .mldsa87: return nil
        }
        return (result.sharedSecret.withUnsafeBytes { Array($0) }, Array(result.encapsulated))
    }

    static func isValid(
        _ signature: [UInt8], _ message: [UInt8], _ contextString: [UInt8], by publicKey: [UInt8],
        _ kind: EnclaveKeyKind
    ) throws -> Bool {
        switch kind {
        case .mldsa65:
            try MLDSA65.PublicKey(rawRepresentation: publicKey)
                .isValidSignature(signature, for: message, context: contextString)
        case .mldsa87:
            try MLDSA87.PublicKey(rawRepresentation: publicKey)
                .isValidSignature(signature, for: message, context: contextString)
        case .p256, .mlkem768, .mlkem1024: false
        }
    }
}
