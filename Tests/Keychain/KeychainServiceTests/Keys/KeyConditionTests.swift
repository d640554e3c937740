import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import Testing

@Suite("What a person proves lets a key be used")
struct KeyConditionTests {
    enum Use: CaseIterable {
        case sign
        case agree
    }

    /// Uses the key, and looks at the answer. Returns the code and the rule of a refusal.
    private static func use(
        _ key: EnclaveKey, _ use: Use, _ keychain: TestKeychain, _ interaction: Interaction? = nil,
        session: ServiceSession? = nil
    ) -> (code: ResultCode, rule: Rule?) {
        switch use {
        case .sign:
            let question = SignWithKey(key.blob, digest: TestKeychain.digest, interaction)
            let answer = keychain.ask(question, session: session)
            #expect(keychain.isSigned(answer, by: key) == (answer.code == .success))
            return (answer.code, answer.rule)
        case .agree:
            let question = AgreeWithKey(key.blob, peer: key.publicKey.externalRepresentation, interaction)
            let answer = keychain.ask(question, session: session)
            #expect(answer.agreed?.count == (answer.code == .success ? 32 : nil))
            return (answer.code, answer.rule)
        }
    }

    @Test("using a key asks for exactly what reading an item does", arguments: ConditionTests.rows, Use.allCases)
    func rows(row: ConditionTests.Row, use: Use) throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey(row.flags.union(.privateKeyUsage))
        #expect(stage.person.prompts.isEmpty)
        stage.person.will(row.steps)
        let reply = Self.use(key, use, stage.keychain)
        #expect(reply.code == row.code)
        #expect(reply.rule == row.rule)
        #expect(stage.person.prompts.count == row.steps.count)
    }

    @Test("what was proved to a context counts for its next uses, and for no other context")
    func session() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .userPresence])
        let session = stage.openSession()
        stage.person.will(.match)
        for _ in 0..<3 { #expect(stage.keychain.isSigned(stage.keychain.sign(key, session: session), by: key)) }
        #expect(Self.use(key, .agree, stage.keychain, Interaction(), session: session).code == .success)
        #expect(stage.person.prompts.count == 1)
        // Without naming its context a call has one of its own.
        stage.person.will(.cancel)
        #expect(Self.use(key, .sign, stage.keychain, session: session).code == .userCanceled)
        session.end()
        #expect(stage.keychain.sign(key, session: session).rule == .contextEnded)
        #expect(stage.person.prompts.count == 2)
    }

    @Test("a signature with presence is four messages to the enclave") func messages() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .userPresence])
        // The search key that finds the name of the key's item.
        stage.person.will(.match)
        _ = stage.keychain.sign(key)
        stage.person.will(.match)
        let messages = stage.mailbox.messages {
            #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        }
        #expect(messages == ["SignDigest", "MatchFinger", "SignDigest", "CloseContext"])
    }

    @Test("however a use of a key ends, the enclave keeps no context of it", arguments: Use.allCases)
    func contexts(use: Use) throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .userPresence])
        let before = try stage.mailbox.ask(AskLoad()).contexts
        stage.person.will(.match)
        #expect(Self.use(key, use, stage.keychain).code == .success)
        stage.person.will(.cancel)
        #expect(Self.use(key, use, stage.keychain).code == .userCanceled)
        let session = stage.openSession()
        let silent = Self.use(key, use, stage.keychain, Interaction(isAllowed: false), session: session)
        #expect(silent.code == .interactionNotAllowed)
        #expect(try stage.mailbox.ask(AskLoad()).contexts == before + 1, "the session's own")
        session.end()
        #expect(try stage.mailbox.ask(AskLoad()).contexts == before)
    }

    @Test("a program says why, and may forbid to ask")
    func interaction() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .devicePasscode])
        let session = stage.openSession()
        let silent = Self.use(key, .sign, stage.keychain, Interaction(isAllowed: false), session: session)
        #expect(silent.code == .interactionNotAllowed && silent.rule == .interactionNotAllowed)
        stage.person.will(.type("1234"))
        let asked = Self.use(key, .sign, stage.keychain, Interaction(reason: "to log in"), session: session)
        #expect(asked.code == .success)
        #expect(stage.person.prompts.map(\.reason) == ["to log in"])
    }

    @Test("without anybody who shows prompts nothing is signed")
    func nobody() throws {
        let stage = try AuthenticationStage(hasPerson: false)
        let key = try stage.keychain.makeKey([.privateKeyUsage, .userPresence])
        let reply = stage.keychain.sign(key)
        #expect(reply.code == .interactionNotAllowed && reply.rule == .noAuthenticationAgent)
    }

    @Test("an application password is asked for at birth and at each use, and may be wrong three times")
    func applicationPassword() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type("word"))
        let key = try stage.keychain.makeKey([.privateKeyUsage, .applicationPassword])
        stage.person.will(.type("word"))
        #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        stage.person.will(.type("x"), .type("word"))
        #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        stage.person.will(.type("x"), .type("y"), .type("z"))
        let refused = stage.keychain.sign(key)
        #expect(refused.code == .authFailed && refused.rule == .wrongApplicationPassword)
        stage.person.will(.cancel)
        #expect(stage.keychain.sign(key).code == .userCanceled)
        #expect(
            stage.person.prompts.map(\.kind) == [.applicationPassword(isNew: true)]
                + [Prompt.Kind](repeating: .applicationPassword(isNew: false), count: 7))
    }

    @Test("an application password and a finger: making the key asks for the password alone")
    func passwordAndFinger() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type("word"))
        let key = try stage.keychain.makeKey([.privateKeyUsage, .biometryAny, .applicationPassword])
        #expect(stage.person.prompts.count == 1)
        stage.person.will(.match, .type("word"))
        #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        #expect(stage.person.prompts.count == 3)
    }

    @Test("a key for these fingers is gone when they change, and its item is not found")
    func currentSet() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .biometryCurrentSet])
        #expect(stage.keychain.store(key).code == .success)
        stage.person.will(.match)
        #expect(stage.keychain.isSigned(stage.keychain.sign(key), by: key))
        stage.sensor.enrol(.leftThumb)
        let reply = stage.keychain.sign(key)
        #expect(reply.code == .itemNotFound && reply.rule == .enclaveKeyInvalidated)
        #expect(stage.keychain.call(.find, .key).code == .itemNotFound)
        #expect(stage.quarantined == 0 && stage.ended == [.fingersChanged: 1])
    }

    @Test("a key for fingers needs some at its birth")
    func nobodyEnrolled() throws {
        let stage = try AuthenticationStage(fingers: [])
        let control = try AccessControl(protection: .whenUnlocked, flags: [.privateKeyUsage, .biometryCurrentSet])
        let reply = stage.keychain.ask(CreateEnclaveKey(under: control))
        #expect(reply.code == .authFailed && reply.rule == .biometryNotEnrolled)
    }

    @Test("finding the item of a key with conditions needs no prompt")
    func finding() throws {
        let stage = try AuthenticationStage()
        let key = try stage.keychain.makeKey([.privateKeyUsage, .userPresence])
        #expect(stage.keychain.store(key).code == .success)
        let reply = stage.keychain.call(.find, .key, ["r_Attributes": .boolean(true), "r_Ref": .boolean(true)])
        #expect(reply.code == .success)
        #expect(reply.object == .enclaveKey(blob: key.blob))
        #expect(stage.person.prompts.isEmpty)
    }
}
