import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyThreading
import Testing

/// A device with a fingerprint reader, a person, and the passcode 1234.
struct AuthenticationStage {
    let keychain: TestKeychain
    let sensor: TouchSensor
    let person: ScriptedPerson

    init(fingers: [Finger] = [.rightIndex], hasPasscode: Bool = true, hasPerson: Bool = true) throws {
        sensor = TouchSensor(fingers)
        person = ScriptedPerson(sensor)
        keychain = try TestKeychain(sensor: sensor)
        if hasPerson { keychain.service.prompts.attach(local: person) }
        guard hasPasscode else { return }
        guard (try? keychain.service.ask(SetPasscode(secret("1234")), caller: TestKeychain.caller)) != nil
        else { throw Unexpected() }
    }

    var service: KeychainService { keychain.service }
    var mailbox: CountingMailbox { keychain.mailbox }

    func openSession() -> ServiceSession { ServiceSession(service: service) }

    /// One of the four calls on the item `account`; `secret` becomes `v_Data`.
    func perform(
        _ operation: ItemOperation, _ attributes: [String: PropertyValue], secret text: String? = nil,
        changes: [String: PropertyValue] = [:], session: ServiceSession? = nil, interaction: Interaction? = nil
    ) -> ItemReply {
        var (query, changes) = (attributes, changes)
        query["class"] = .string("genp")
        let secrets = text.map { [secret($0)] } ?? []
        if text != nil, operation == .update { changes["v_Data"] = .secret(0) }
        if text != nil, operation == .add { query["v_Data"] = .secret(0) }
        return service.perform(
            ItemRequest(
                operation: operation, query: query.map { QueryPair($0.key, $0.value) },
                changes: changes.map { QueryPair($0.key, $0.value) }, wantsResult: true, secrets: secrets,
                interaction: interaction ?? session.map { _ in Interaction() }),
            caller: TestKeychain.caller, session: session)
    }

    /// Adds the item; `secret` nil: without data.
    @discardableResult
    func add(
        _ account: String, _ flags: AccessControlFlags, secret text: String? = "s3cret",
        protection: ProtectionClass = .whenUnlocked, session: ServiceSession? = nil
    ) throws -> ItemReply {
        perform(
            .add, ["acct": .string(account), "accc": try Self.control(flags, protection)], secret: text,
            session: session)
    }

    /// Adds the item without asking anybody; everything else is an issue.
    func store(
        _ account: String, _ flags: AccessControlFlags, secret text: String? = "s3cret",
        protection: ProtectionClass = .whenUnlocked, session: ServiceSession? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        let reply = try add(account, flags, secret: text, protection: protection, session: session)
        #expect(reply.code == .success, "\(String(describing: reply.refusal))", sourceLocation: location)
    }

    func find(
        _ account: String, _ more: [String: PropertyValue] = ["r_Data": .boolean(true)],
        session: ServiceSession? = nil, interaction: Interaction? = nil
    ) -> ItemReply {
        perform(
            .find, more.merging(["acct": .string(account)]) { $1 }, session: session, interaction: interaction)
    }

    func update(
        _ account: String, secret text: String? = nil, _ changes: [String: PropertyValue] = [:],
        session: ServiceSession? = nil
    ) -> ItemReply {
        perform(.update, ["acct": .string(account)], secret: text, changes: changes, session: session)
    }

    static func control(
        _ flags: AccessControlFlags, _ protection: ProtectionClass = .whenUnlocked
    ) throws -> PropertyValue {
        .reference(
            kind: "SecAccessControl", bytes: try AccessControl(protection: protection, flags: flags).serialised)
    }

    func evaluate(
        _ policy: AuthenticationPolicy, _ interaction: Interaction = Interaction(), session: ServiceSession
    ) -> Result<PolicyFulfilment, AuthenticationRefusal> {
        service.outcome(of: EvaluatePolicy(policy, interaction), session: session)
    }

    func lock() {
        _ = try? service.ask(LockDevice(immediately: true), caller: TestKeychain.caller)
    }

    /// Rows that were set aside because they can no longer be decoded.
    var quarantined: Int64 { keychain.status?.quarantinedRows ?? -1 }

    /// Items that ended on purpose, by reason.
    var ended: [EndReason: Int64] { keychain.ended }
}

func secret(_ text: String) -> SecretBox { SecretBox(copying: Array(text.utf8)) }

extension ItemReply {
    /// The one secret as text.
    var text: String? {
        guard secrets.count == 1 else { return nil }
        return secrets[0].withBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension KeychainService {
    func outcome<Question: AuthenticationQuestion>(
        of question: Question, caller: Caller = TestKeychain.caller, session: ServiceSession
    ) -> Result<Question.Answer, AuthenticationRefusal> {
        Result { () throws(AuthenticationRefusal) in try ask(question, caller: caller, session: session) }
    }

    /// Nil if the question is answered.
    func refusal(
        of question: some AuthenticationQuestion, caller: Caller = TestKeychain.caller, session: ServiceSession
    ) -> AuthenticationRefusal? {
        do throws(AuthenticationRefusal) {
            try ask(question, caller: caller, session: session)
            return nil
        } catch {
            return error
        }
    }
}

extension Result where Failure == AuthenticationRefusal {
    /// Nil for a success.
    var error: AuthenticationError? {
        if case .failure(let refusal) = self { refusal.error } else { nil }
    }

    var rule: Rule? {
        if case .failure(let refusal) = self { refusal.refusal.rule } else { nil }
    }
}

struct Unexpected: Error {}
