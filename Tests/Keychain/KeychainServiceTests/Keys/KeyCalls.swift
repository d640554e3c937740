import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// A key of the enclave as programs know it.
struct EnclaveKey: Sendable {
    let blob: [UInt8]
    let publicKey: PublicKey
}

extension Result where Failure == EnclaveKeyRefusal {
    var refusal: EnclaveKeyRefusal? {
        if case .failure(let refusal) = self { refusal } else { nil }
    }

    /// Success, or the code of the refusal.
    var code: LatchkeyItemModel.ResultCode { refusal?.code ?? .success }
    var rule: Rule? { refusal?.rule }
}

extension EnclaveKeyRefusal {
    var rule: Rule? { refusal?.rule }
}

extension Result<EnclaveKeySecret, EnclaveKeyRefusal> {
    var agreed: [UInt8]? { try? get().secret.withBytes { Array($0) } }
}

extension TestKeychain {
    static let digest = sha256(Array("message".utf8))
    private static let ecdsa = SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false)

    func ask<Question: KeyQuestion>(
        _ question: Question, caller: Caller = TestKeychain.caller, session: ServiceSession? = nil
    ) -> Result<Question.Answer, EnclaveKeyRefusal> {
        Result { () throws(EnclaveKeyRefusal) in try service.ask(question, caller: caller, session: session) }
    }

    func refusal(of question: some KeyQuestion, caller: Caller = TestKeychain.caller) -> EnclaveKeyRefusal? {
        ask(question, caller: caller).refusal
    }

    /// A new key; anything else is an issue.
    func makeKey(
        _ flags: AccessControlFlags = .privateKeyUsage, _ protection: ProtectionClass = .whenUnlocked,
        session: ServiceSession? = nil, _ location: SourceLocation = #_sourceLocation
    ) throws -> EnclaveKey {
        let control = try AccessControl(protection: protection, flags: flags)
        let answer = ask(CreateEnclaveKey(under: control, session.map { _ in Interaction() }), session: session)
        guard case .success(let key) = answer else {
            Issue.record("\(answer)", sourceLocation: location)
            throw Unexpected()
        }
        return EnclaveKey(
            blob: key.blob, publicKey: try PublicKey(externalRepresentation: key.publicKey, type: .ellipticCurve))
    }

    func sign(
        _ key: EnclaveKey, session: ServiceSession? = nil
    ) -> Result<EnclaveKeySignature, EnclaveKeyRefusal> {
        ask(SignWithKey(key.blob, digest: Self.digest, session.map { _ in Interaction() }), session: session)
    }

    /// Returns true if an answer is a signature of the key.
    func isSigned(_ answer: Result<EnclaveKeySignature, EnclaveKeyRefusal>, by key: EnclaveKey) -> Bool {
        guard case .success(let signature) = answer else { return false }
        return (try? key.publicKey.verify(signature.bytes, over: Self.digest, Self.ecdsa)) != nil
    }

    /// One of the four calls; `data` becomes `v_Data` of the query, or of the changes of an update.
    func call(
        _ operation: ItemOperation, _ itemClass: ItemClass, _ attributes: [String: PropertyValue] = [:],
        data: [UInt8]? = nil, changes: [String: PropertyValue] = [:], caller: Caller = TestKeychain.caller
    ) -> ItemReply {
        var (query, changes) = (attributes, changes)
        query["class"] = .string(itemClass.rawValue)
        if data != nil, operation == .update { changes["v_Data"] = .secret(0) }
        if data != nil, operation != .update { query["v_Data"] = .secret(0) }
        return service.perform(
            ItemRequest(
                operation: operation, query: query.map { QueryPair($0.key, $0.value) },
                changes: changes.map { QueryPair($0.key, $0.value) }, wantsResult: true,
                secrets: data.map { [SecretBox(copying: $0)] } ?? []), caller: caller)
    }

    /// Adds a key of the enclave as an item.
    @discardableResult
    func store(
        _ key: EnclaveKey, _ more: [String: PropertyValue] = [:], caller: Caller = TestKeychain.caller
    ) -> ItemReply {
        call(
            .add, .key,
            ["tkid": .string(KeyAttributes.enclaveToken), "toid": .data(key.blob)].merging(more) { $1 }, caller: caller)
    }

    /// Adds a key in the form of the face: all attributes, and its bytes.
    @discardableResult
    func store(
        _ key: PrivateKey, _ more: [String: PropertyValue] = [:], caller: Caller = TestKeychain.caller
    ) -> ItemReply {
        call(
            .add, .key, KeyAttributes.ofNewItem(key).byColumn.merging(more) { $1 },
            data: key.externalRepresentation.withBytes { Array($0) }, caller: caller)
    }

    @discardableResult
    func store(_ key: PublicKey, _ more: [String: PropertyValue] = [:]) -> ItemReply {
        call(
            .add, .key, KeyAttributes.ofNewItem(key).byColumn.merging(more) { $1 }, data: key.externalRepresentation)
    }

    /// Returns the number of items that a query finds.
    func count(
        _ itemClass: ItemClass, _ attributes: [String: PropertyValue] = [:], caller: Caller = TestKeychain.caller
    ) -> Int {
        let all: [String: PropertyValue] = ["m_Limit": .string("m_LimitAll"), "r_PersistentRef": .boolean(true)]
        let reply = call(.find, itemClass, attributes.merging(all) { $1 }, caller: caller)
        guard case .array(let found)? = reply.result else { return reply.code == .itemNotFound ? 0 : -1 }
        return found.count
    }
}

extension ItemReply {
    /// The secret that the value names, or that the result is.
    func data(_ key: String? = nil) -> [UInt8]? {
        let value: PropertyValue? = key.map { attributes[$0] } ?? result
        guard case .secret(let index)? = value, secrets.indices.contains(index) else { return nil }
        return secrets[index].withBytes { Array($0) }
    }

    /// The result as a dictionary.
    var attributes: [String: PropertyValue] {
        if case .dictionary(let attributes)? = result { attributes } else { [:] }
    }

    /// The object of the result.
    var object: ItemObject? { (attributes["v_Ref"] ?? result).flatMap { ItemObject($0) } }

    var list: [PropertyValue] {
        if case .array(let list)? = result { list } else { [] }
    }
}

func copyFile(_ from: String, _ to: String) throws {
    try? FileManager.default.removeItem(atPath: to)
    for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: to + suffix) }
    try FileManager.default.copyItem(atPath: from, toPath: to)
}
