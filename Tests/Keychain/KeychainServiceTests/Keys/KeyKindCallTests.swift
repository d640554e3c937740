import Crypto
import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Keys of ML-KEM and ML-DSA are made and used in the enclave")
struct KeyKindCallTests {
    struct Key: Sendable {
        let kind: EnclaveKeyKind
        let blob: [UInt8]
        let publicKey: [UInt8]
    }

    private static func key(
        _ new: NewEnclaveKey, _ flags: AccessControlFlags = .privateKeyUsage, on keychain: TestKeychain
    ) throws -> Key {
        let control = try AccessControl(protection: .whenUnlocked, flags: flags)
        guard case .created(let blob, let publicKey) = keychain.perform(.create(new, accessControl: control, nil))
        else {
            throw Unexpected()
        }
        #expect(publicKey.count == new.kind.publicKeyByteCount)
        return Key(kind: new.kind, blob: blob, publicKey: publicKey)
    }

    private static let message = Array("a message".utf8)

    /// The use that its kind has, and what shows that it was the right key's.
    private static func use(
        _ key: Key, _ interaction: Interaction? = nil
    ) throws -> (request: KeyRequest, isRight: (KeyReply) throws -> Bool) {
        let context = Array("tests".utf8)
        let signing = KeyRequest.signMessage(
            blob: key.blob, message: message, contextString: context, interaction)
        func decapsulating(_ result: KEM.EncapsulationResult) -> (KeyRequest, (KeyReply) -> Bool) {
            let secret = result.sharedSecret.withUnsafeBytes { Array($0) }
            let request = KeyRequest.decapsulate(
                blob: key.blob, ciphertext: Array(result.encapsulated), interaction)
            return (request, { $0.agreed == secret })
        }
        switch key.kind {
        case .mlkem768: return decapsulating(try MLKEM768.PublicKey(rawRepresentation: key.publicKey).encapsulate())
        case .mlkem1024: return decapsulating(try MLKEM1024.PublicKey(rawRepresentation: key.publicKey).encapsulate())
        case .mldsa65:
            let publicKey = try MLDSA65.PublicKey(rawRepresentation: key.publicKey)
            return (signing, { publicKey.isValidSignature($0.signature ?? [], for: message, context: context) })
        case .mldsa87:
            let publicKey = try MLDSA87.PublicKey(rawRepresentation: key.publicKey)
            return (signing, { publicKey.isValidSignature($0.signature ?? [], for: message, context: context) })
        case .p256: throw Unexpected()
        }
    }

    static let kinds: [NewEnclaveKey] = [.mlkem768, .mlkem1024, .mldsa65, .mldsa87]

    @Test("each use is right, and one message to the enclave", arguments: kinds)
    func uses(_ new: NewEnclaveKey) throws {
        let keychain = try TestKeychain()
        let key = try Self.key(new, on: keychain)
        let (request, isRight) = try Self.use(key)
        let messages = keychain.mailbox.messages {
            let reply = keychain.perform(request)
            #expect((try? isRight(reply)) == true, "\(reply)")
        }
        #expect(messages == [[.mldsa65, .mldsa87].contains(new) ? "SignMessage" : "Decapsulate"])
        guard case .described(key.publicKey, let control) = keychain.perform(.describe(blob: key.blob)) else {
            throw Unexpected()
        }
        #expect(control.flags == .privateKeyUsage)
        // A key of another device is none.
        let other = try TestKeychain()
        #expect(other.perform(request).rule == .enclaveKeyNotHere)
        #expect(other.perform(.describe(blob: key.blob)).rule == .enclaveKeyNotHere)
    }

    @Test("a key asks for exactly what its rule says, each time", arguments: kinds)
    func person(_ new: NewEnclaveKey) throws {
        let stage = try AuthenticationStage()
        let key = try Self.key(new, [.privateKeyUsage, .userPresence], on: stage.keychain)
        #expect(stage.person.prompts.isEmpty)
        let (request, isRight) = try Self.use(key)
        stage.person.will(.match)
        #expect(try isRight(stage.keychain.perform(request)))
        stage.person.will(.cancel)
        #expect(stage.keychain.perform(request).code == .userCanceled)
        #expect(stage.person.prompts.count == 2)
        // What was proved to a context counts for its next uses.
        let session = stage.openSession()
        stage.person.will(.match)
        let (again, isRightAgain) = try Self.use(key, Interaction(reason: "to log in"))
        for _ in 0..<3 { #expect(try isRightAgain(stage.keychain.perform(again, session: session))) }
        #expect(stage.person.prompts.count == 3)
        #expect(stage.person.prompts.last?.reason == "to log in")
        let (silent, _) = try Self.use(key, Interaction(isAllowed: false))
        #expect(stage.keychain.perform(silent).rule == .interactionNotAllowed)
        stage.lock()
        #expect(stage.keychain.perform(request).rule == .classKeyLocked)
        #expect(stage.person.prompts.count == 3)
    }

    private static let long = [UInt8](repeating: 1, count: EnclaveLimits.messageByteCount + 1)

    @Test("what a key cannot do is refused by name before anybody is asked, and on record")
    func refusals() throws {
        let stage = try AuthenticationStage()
        let keychain = stage.keychain
        let flags: AccessControlFlags = [.privateKeyUsage, .userPresence]
        let p256 = try keychain.makeKey(flags)
        func check(_ request: KeyRequest, _ rule: Rule) throws {
            let reply = keychain.perform(request)
            #expect(reply.code == .param && reply.rule == rule, "\(reply)")
            let record = try #require(keychain.refusals().first)
            #expect(record.refusal.rule == rule)
            #expect(["sign", "agree", "sign-message", "decapsulate"].contains(record.operation))
        }
        let otherKind = Rule.enclaveKeyOfOtherKind
        for new in Self.kinds {
            let key = try Self.key(new, flags, on: keychain)
            let point = p256.publicKey.externalRepresentation
            try check(.sign(blob: key.blob, digest: TestKeychain.digest, nil), otherKind)
            try check(.agree(blob: key.blob, peer: point, nil), otherKind)
            if let byteCount = new.kind.ciphertextByteCount {
                try check(.signMessage(blob: key.blob, message: [1], nil), otherKind)
                for count in [0, 1, byteCount - 1, byteCount + 1, 1 << 20] {
                    let ciphertext = [UInt8](repeating: 1, count: count)
                    try check(.decapsulate(blob: key.blob, ciphertext: ciphertext, nil), .badCiphertext)
                }
            } else {
                try check(.decapsulate(blob: key.blob, ciphertext: [1], nil), otherKind)
                try check(.signMessage(blob: key.blob, message: Self.long, nil), .messageTooLong)
                let string = [UInt8](repeating: 1, count: 256)
                try check(
                    .signMessage(blob: key.blob, message: [1], contextString: string, nil), .contextStringTooLong)
            }
        }
        try check(.signMessage(blob: p256.blob, message: [1], nil), otherKind)
        try check(.decapsulate(blob: p256.blob, ciphertext: [1], nil), otherKind)
        #expect(stage.person.prompts.isEmpty)
        // Bytes that are no key are none, whatever is to be done.
        for blob in [[], [2], [UInt8](repeating: 2, count: 4097)] as [[UInt8]] {
            for request in [
                KeyRequest.signMessage(blob: blob, message: [1], nil), .decapsulate(blob: blob, ciphertext: [1], nil),
            ] { #expect(keychain.perform(request).rule == .enclaveKeyNotHere) }
        }
    }

    @Test("no item stands for such a key", arguments: kinds)
    func items(_ new: NewEnclaveKey) throws {
        let keychain = try TestKeychain()
        let key = try Self.key(new, on: keychain)
        let token: [String: PropertyValue] = ["tkid": .string(KeyAttributes.enclaveToken), "toid": .data(key.blob)]
        let reply = keychain.call(.add, .key, token)
        #expect(reply.code == .param && reply.refusal?.rule == .tokenObjectKind)
        #expect(keychain.count(.key) == 0)
        // Nor does an existing item become one, nor is one found by it.
        #expect(keychain.store(try keychain.makeKey()).code == .success)
        #expect(keychain.call(.update, .key, [:], changes: token).refusal?.rule == .tokenChange)
        #expect(keychain.count(.key, token) == 0)
        #expect(keychain.call(.delete, .key, token).code == .itemNotFound)
        // The key is as it was.
        let (request, isRight) = try Self.use(key)
        #expect(try isRight(keychain.perform(request)))
    }

    @Test("a compact key of P-256 is one like any other") func compact() throws {
        let keychain = try TestKeychain()
        let control = try AccessControl(protection: .whenUnlocked, flags: .privateKeyUsage)
        for _ in 0..<8 {
            let request = KeyRequest.create(.compactP256, accessControl: control, nil)
            guard case .created(let blob, let point) = keychain.perform(request) else { throw Unexpected() }
            #expect(try P256.Signing.PublicKey(x963Representation: point).compactRepresentation != nil)
            let key = EnclaveKey(
                blob: blob, publicKey: try .init(externalRepresentation: point, type: .ellipticCurve))
            #expect(keychain.isSigned(keychain.sign(key), by: key))
            #expect(keychain.store(key).code == .success)
        }
        #expect(keychain.count(.key) == 8)
    }

    @Test("uses are in the audit log, and nothing of what was signed") func audit() throws {
        let keychain = try TestKeychain()
        for new in [NewEnclaveKey.mldsa65, .mlkem768] {
            _ = keychain.perform(try Self.use(try Self.key(new, on: keychain)).request)
        }
        keychain.service.close()
        let contents = try #require(FileManager.default.contents(atPath: keychain.directory + "/keychain/audit"))
        for text in ["key-create", "sign-message", "decapsulate"] {
            #expect(contents.range(of: Data(text.utf8)) != nil, "\(text)")
        }
        #expect(contents.range(of: Data(Self.message)) == nil)
    }
}
