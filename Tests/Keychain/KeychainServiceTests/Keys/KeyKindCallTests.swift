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
        let created = try keychain.ask(CreateEnclaveKey(new, under: control)).get()
        #expect(created.publicKey.count == new.kind.publicKeyByteCount)
        return Key(kind: new.kind, blob: created.blob, publicKey: created.publicKey)
    }

    private static let message = Array("a message".utf8)

    /// The end of a use: an answer that only the right key could give, another one, or a refusal.
    private enum Outcome: Equatable {
        case right
        case wrong
        case refused(LatchkeyItemModel.ResultCode, Rule?)
    }

    private typealias Use = (TestKeychain, ServiceSession?) -> Outcome

    private static func use<Question: KeyQuestion>(
        _ question: Question, isRight: @escaping (Question.Answer) -> Bool
    ) -> Use {
        { keychain, session in
            switch keychain.ask(question, session: session) {
            case .success(let answer): isRight(answer) ? .right : .wrong
            case .failure(let refusal): .refused(refusal.code, refusal.rule)
            }
        }
    }

    /// The use that its kind has.
    private static func use(_ key: Key, _ interaction: Interaction? = nil) throws -> Use {
        let context = Array("tests".utf8)
        let signing = SignMessageWithKey(key.blob, message: message, contextString: context, interaction)
        func decapsulating(_ result: KEM.EncapsulationResult) -> Use {
            let secret = result.sharedSecret.withUnsafeBytes { Array($0) }
            let question = DecapsulateWithKey(key.blob, ciphertext: Array(result.encapsulated), interaction)
            return use(question, isRight: { $0.secret.withBytes { Array($0) } == secret })
        }
        switch key.kind {
        case .mlkem768: return decapsulating(try MLKEM768.PublicKey(rawRepresentation: key.publicKey).encapsulate())
        case .mlkem1024: return decapsulating(try MLKEM1024.PublicKey(rawRepresentation: key.publicKey).encapsulate())
        case .mldsa65:
            let publicKey = try MLDSA65.PublicKey(rawRepresentation: key.publicKey)
            return use(signing, isRight: { publicKey.isValidSignature($0.bytes, for: message, context: context) })
        case .mldsa87:
            let publicKey = try MLDSA87.PublicKey(rawRepresentation: key.publicKey)
            return use(signing, isRight: { publicKey.isValidSignature($0.bytes, for: message, context: context) })
        case .p256: throw Unexpected()
        }
    }

    static let kinds: [NewEnclaveKey] = [.mlkem768, .mlkem1024, .mldsa65, .mldsa87]

    @Test("each use is right, and one message to the enclave", arguments: kinds)
    func uses(_ new: NewEnclaveKey) throws {
        let keychain = try TestKeychain()
        let key = try Self.key(new, on: keychain)
        let use = try Self.use(key)
        let messages = keychain.mailbox.messages { #expect(use(keychain, nil) == .right) }
        #expect(messages == [[.mldsa65, .mldsa87].contains(new) ? "SignMessage" : "Decapsulate"])
        let description = try keychain.ask(DescribeEnclaveKey(key.blob)).get()
        #expect(description.publicKey == key.publicKey && description.accessControl.flags == .privateKeyUsage)
        // A key of another device does not count.
        let other = try TestKeychain()
        #expect(use(other, nil) == .refused(.itemNotFound, .enclaveKeyNotHere))
        #expect(other.ask(DescribeEnclaveKey(key.blob)).rule == .enclaveKeyNotHere)
    }

    @Test("a key asks for exactly what its rule says, each time", arguments: kinds)
    func person(_ new: NewEnclaveKey) throws {
        let stage = try AuthenticationStage()
        let key = try Self.key(new, [.privateKeyUsage, .userPresence], on: stage.keychain)
        #expect(stage.person.prompts.isEmpty)
        let use = try Self.use(key)
        stage.person.will(.match)
        #expect(use(stage.keychain, nil) == .right)
        stage.person.will(.cancel)
        #expect(use(stage.keychain, nil) == .refused(.userCanceled, .userCancelled))
        #expect(stage.person.prompts.count == 2)
        // A proof to a context counts for its next uses.
        let session = stage.openSession()
        stage.person.will(.match)
        let again = try Self.use(key, Interaction(reason: "to log in"))
        for _ in 0..<3 { #expect(again(stage.keychain, session) == .right) }
        #expect(stage.person.prompts.count == 3)
        #expect(stage.person.prompts.last?.reason == "to log in")
        let silent = try Self.use(key, Interaction(isAllowed: false))
        #expect(silent(stage.keychain, nil) == .refused(.interactionNotAllowed, .interactionNotAllowed))
        stage.lock()
        #expect(use(stage.keychain, nil) == .refused(.interactionNotAllowed, .classKeyLocked))
        #expect(stage.person.prompts.count == 3)
    }

    private static let long = [UInt8](repeating: 1, count: EnclaveLimits.messageByteCount + 1)

    @Test("what a key cannot do is refused by name before anybody is asked, and on record")
    func refusals() throws {
        let stage = try AuthenticationStage()
        let keychain = stage.keychain
        let flags: AccessControlFlags = [.privateKeyUsage, .userPresence]
        let p256 = try keychain.makeKey(flags)
        func check(_ question: some KeyQuestion, _ rule: Rule) throws {
            let refusal = keychain.refusal(of: question)
            #expect(refusal?.code == .param && refusal?.rule == rule, "\(String(describing: refusal))")
            let record = try #require(keychain.refusals().first)
            #expect(record.refusal.rule == rule)
            #expect(["sign", "agree", "sign-message", "decapsulate"].contains(record.operation))
        }
        let otherKind = Rule.enclaveKeyOfOtherKind
        for new in Self.kinds {
            let key = try Self.key(new, flags, on: keychain)
            let point = p256.publicKey.externalRepresentation
            try check(SignWithKey(key.blob, digest: TestKeychain.digest), otherKind)
            try check(AgreeWithKey(key.blob, peer: point), otherKind)
            if let byteCount = new.kind.ciphertextByteCount {
                try check(SignMessageWithKey(key.blob, message: [1]), otherKind)
                for count in [0, 1, byteCount - 1, byteCount + 1, 1 << 20] {
                    let ciphertext = [UInt8](repeating: 1, count: count)
                    try check(DecapsulateWithKey(key.blob, ciphertext: ciphertext), .badCiphertext)
                }
            } else {
                try check(DecapsulateWithKey(key.blob, ciphertext: [1]), otherKind)
                try check(SignMessageWithKey(key.blob, message: Self.long), .messageTooLong)
                let string = [UInt8](repeating: 1, count: 256)
                try check(
                    SignMessageWithKey(key.blob, message: [1], contextString: string), .contextStringTooLong)
            }
        }
        try check(SignMessageWithKey(p256.blob, message: [1]), otherKind)
        try check(DecapsulateWithKey(p256.blob, ciphertext: [1]), otherKind)
        #expect(stage.person.prompts.isEmpty)
        // Bytes that are not a key are refused, whatever is to be done.
        for blob in [[], [2], [UInt8](repeating: 2, count: 4097)] as [[UInt8]] {
            #expect(keychain.ask(SignMessageWithKey(blob, message: [1])).rule == .enclaveKeyNotHere)
            #expect(keychain.ask(DecapsulateWithKey(blob, ciphertext: [1])).rule == .enclaveKeyNotHere)
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
        #expect(try Self.use(key)(keychain, nil) == .right)
    }

    @Test("a compact key of P-256 is one like any other") func compact() throws {
        let keychain = try TestKeychain()
        let control = try AccessControl(protection: .whenUnlocked, flags: .privateKeyUsage)
        for _ in 0..<8 {
            let created = try keychain.ask(CreateEnclaveKey(.compactP256, under: control)).get()
            let point = created.publicKey
            #expect(try P256.Signing.PublicKey(x963Representation: point).compactRepresentation != nil)
            let key = EnclaveKey(
                blob: created.blob, publicKey: try .init(externalRepresentation: point, type: .ellipticCurve))
            #expect(keychain.isSigned(keychain.sign(key), by: key))
            #expect(keychain.store(key).code == .success)
        }
        #expect(keychain.count(.key) == 8)
    }

    @Test("uses are in the audit log, and nothing of what was signed") func audit() throws {
        let keychain = try TestKeychain()
        for new in [NewEnclaveKey.mldsa65, .mlkem768] {
            _ = try Self.use(try Self.key(new, on: keychain))(keychain, nil)
        }
        keychain.service.close()
        let contents = try #require(FileManager.default.contents(atPath: keychain.directory + "/keychain/audit"))
        for text in ["key-create", "sign-message", "decapsulate"] {
            #expect(contents.range(of: Data(text.utf8)) != nil, "\(text)")
        }
        #expect(contents.range(of: Data(Self.message)) == nil)
    }
}
