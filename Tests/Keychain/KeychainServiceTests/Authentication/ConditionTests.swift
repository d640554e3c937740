import GRDB
import LatchkeyAccessControl
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyEnclaveCore
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

@Suite("What a person proves opens an item with conditions")
struct ConditionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let flags: AccessControlFlags
        let steps: [Step]
        let code: LatchkeyItemModel.ResultCode
        let rule: Rule?

        init(
            _ name: String, _ flags: AccessControlFlags, _ steps: [Step],
            _ code: LatchkeyItemModel.ResultCode = .success,
            _ rule: Rule? = nil
        ) {
            testDescription = name
            self.flags = flags
            self.steps = steps
            self.code = code
            self.rule = rule
        }
    }

    private static let wrongThrice = [Step.type("0001"), .type("0002"), .type("0003")]

    static let rows = [
        Row("presence by finger", .userPresence, [.match]),
        Row("presence, second touch", .userPresence, [.miss, .match]),
        Row("presence by passcode after three misses", .userPresence, [.miss, .miss, .miss, .type("1234")]),
        Row("presence by passcode because the person wants to", .userPresence, [.fallback, .type("1234")]),
        Row("presence, unclear touches count as nothing", .userPresence, unclear(6) + [.match]),
        Row("presence, cancelled at the finger", .userPresence, [.cancel], .userCanceled, .userCancelled),
        Row(
            "presence, cancelled at the passcode", .userPresence, [.fallback, .cancel], .userCanceled,
            .userCancelled),
        Row("passcode", .devicePasscode, [.type("1234")]),
        Row("passcode, right at the third try", .devicePasscode, [.type("1"), .type("2"), .type("1234")]),
        Row("passcode, wrong thrice", .devicePasscode, wrongThrice, .authFailed, .passcodeRefused),
        Row(
            "passcode, the same wrong one thrice", .devicePasscode, [.type("0"), .type("0"), .type("0")], .authFailed,
            .passcodeRefused),
        Row("passcode, cancelled", .devicePasscode, [.type("1"), .cancel], .userCanceled, .userCancelled),
        Row("passcode, another way wanted", .devicePasscode, [.fallback], .authFailed, .userFallback),
        Row("biometry", .biometryAny, [.match]),
        Row("biometry, three misses", .biometryAny, [.miss, .miss, .miss], .authFailed, .authenticationFailed),
        Row("biometry, another way wanted", .biometryAny, [.fallback], .authFailed, .userFallback),
        Row("biometry, cancelled", .biometryAny, [.cancel], .userCanceled, .userCancelled),
        Row("biometry of these fingers", .biometryCurrentSet, [.match]),
        Row("biometry or passcode: finger", [.biometryAny, .devicePasscode, .or], [.match]),
        Row("biometry or passcode: passcode", [.biometryAny, .devicePasscode, .or], [.fallback, .type("1234")]),
        Row("biometry and passcode", [.biometryAny, .devicePasscode, .and], [.match, .type("1234")]),
        Row(
            "biometry and passcode, the passcode first", [.biometryAny, .devicePasscode, .and],
            [.fallback, .type("1234"), .match]),
        Row(
            "biometry and passcode, no finger in the end", [.biometryAny, .devicePasscode, .and],
            [.fallback, .type("1234"), .fallback], .authFailed, .userFallback),
        Row("a companion", .companion, [], .authFailed, .companionNotAvailable),
        Row("a companion or biometry", [.companion, .biometryAny, .or], [.match]),
        Row("a companion and biometry", [.companion, .biometryAny, .and], [], .authFailed, .companionNotAvailable),
        Row("the user does not answer", .biometryAny, [.answer(.timedOut)], .authFailed, .promptTimedOut),
        Row(
            "the user does not answer the passcode prompt", .devicePasscode, [.answer(.timedOut)], .authFailed,
            .promptTimedOut),
        Row("the prompt breaks", .userPresence, [.answer(.failed(reason: "no display"))], .authFailed, .promptFailed),
        Row("the prompt is taken away", .biometryAny, [.answer(.withdrawn)], .authFailed, .promptFailed),
        Row(
            "the passcode's prompt is taken away", .devicePasscode, [.answer(.withdrawn)], .authFailed,
            .promptFailed),
        Row("twenty unclear touches", .biometryAny, unclear(20), .authFailed, .authenticationRounds),
        Row(
            "a passcode of a mebibyte", .devicePasscode,
            [.type(String(repeating: "x", count: 1 << 20)), .type("1234")]),
    ]

    private static func unclear(_ count: Int) -> [Step] {
        (0..<count).map { .touch(.unclear(UnclearTouch.allCases[$0 % UnclearTouch.allCases.count])) }
    }

    @Test("reading the data asks for exactly this", arguments: rows)
    func reading(row: Row) throws {
        let stage = try AuthenticationStage()
        try stage.store("a", row.flags)
        stage.person.will(row.steps)
        let reply = stage.find("a")
        #expect(reply.code == row.code)
        #expect(reply.refusal?.rule == row.rule)
        #expect(reply.text == (row.code == .success ? "s3cret" : nil))
        #expect(stage.person.prompts.count == row.steps.count)
        #expect(stage.person.mostAtOnce == (row.steps.isEmpty ? 0 : 1))
    }

    private static let questions: [[String: PropertyValue]] = [
        [:], ["r_Attributes": .boolean(true)], ["r_PersistentRef": .boolean(true)], ["r_Ref": .boolean(true)],
        ["m_Limit": .string("m_LimitAll")], ["m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true)],
    ]

    @Test("attributes, references and mere existence are behind the same door", arguments: questions)
    func everyQuestion(question: [String: PropertyValue]) throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        stage.person.will(.cancel, .match)
        #expect(stage.find("a", question).code == .userCanceled)
        #expect(stage.find("a", question).code == .success)
        #expect(stage.person.prompts.count == 2)
    }

    @Test("an item without data is behind the door too, and stays there when its attributes change")
    func withoutData() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .devicePasscode, secret: nil)
        stage.person.will(.cancel)
        #expect(stage.find("a", [:]).code == .userCanceled)
        stage.person.will(.type("1234"))
        #expect(stage.update("a", ["labl": .string("new")]).code == .success)
        stage.person.will(.cancel)
        #expect(stage.find("a", [:]).code == .userCanceled)
        stage.person.will(.type("1234"))
        let reply = stage.find("a", ["r_Attributes": .boolean(true), "r_Data": .boolean(true)])
        guard case .dictionary(let found)? = reply.result else { throw Unexpected() }
        #expect(found["labl"] == .string("new") && found["v_Data"] == nil)
        #expect(stage.person.stepsLeft == 0)
    }

    @Test("a plain item without data goes behind the door with its new access control")
    func plainWithoutData() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", [], secret: nil)
        let control = try AuthenticationStage.control(.devicePasscode)
        #expect(stage.update("a", ["accc": control]).code == .success)
        #expect(stage.person.prompts.isEmpty)
        stage.person.will(.cancel)
        #expect(stage.find("a", [:]).code == .userCanceled)
    }

    @Test("one proof serves all items of a call, and items ask for no more than they need")
    func severalItems() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .devicePasscode)
        try stage.store("b", .userPresence)
        try stage.store("c", [])
        try stage.store("d", .devicePasscode, protection: .afterFirstUnlock)
        stage.person.will(.type("1234"))
        let all: [String: PropertyValue] = ["m_Limit": .string("m_LimitAll"), "r_Data": .boolean(true)]
        let reply = stage.perform(.find, all)
        #expect(reply.code == .success && reply.secrets.count == 4)
        #expect(stage.person.prompts.map(\.kind) == [.passcode])
    }

    @Test("a prompt says who asks and why, and what went wrong before")
    func words() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        stage.person.will(.miss, .fallback, .type("0"), .type("1234"))
        let more: [String: PropertyValue] = ["r_Data": .boolean(true), "u_OpPrompt": .string("to log in")]
        #expect(stage.find("a", more).text == "s3cret")
        let prompts = stage.person.prompts
        #expect(prompts.map(\.kind) == [.finger, .finger, .passcode, .passcode])
        #expect(prompts.map(\.reason) == Array(repeating: "to log in", count: 4))
        #expect(prompts.allSatisfy { $0.program == "app" && $0.team == nil && $0.level == .c })
        #expect(prompts.map { $0.notice != nil } == [false, true, false, true])
        #expect(prompts.last?.notice?.contains("9 tries") == true)
    }

    @Test("a reason of the program is shown as far as a context could give it")
    func longReason() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        stage.person.will(.match)
        let long = String(repeating: "ä", count: 1 << 20)
        #expect(stage.find("a", ["u_OpPrompt": .string(long)]).code == .success)
        #expect(stage.person.prompts.first?.reason.utf8.count == MessageCoding.interactionTextByteCount)
    }

    @Test("a locked class is told before anybody is asked")
    func locked() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        stage.lock()
        let reply = stage.find("a")
        #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .classKeyLocked)
        #expect(stage.person.prompts.isEmpty)
    }

    @Test("without a passcode on the device, an item for one stays, and opens for no program")
    func passcodeRemoved() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        try stage.store("b", [], protection: .whenPasscodeSetThisDeviceOnly)
        _ = try? stage.service.ask(RemovePasscode(secret("1234")), caller: TestKeychain.caller)
        let reply = stage.find("a")
        #expect(reply.code == .authFailed && reply.refusal?.rule == .passcodeNotSet)
        #expect(stage.find("b").code == .itemNotFound)
        #expect(stage.quarantined == 0 && stage.ended == [.passcodeRemoved: 1])
        _ = try? stage.service.ask(SetPasscode(secret("7777")), caller: TestKeychain.caller)
        stage.person.will(.fallback, .type("7777"))
        #expect(stage.find("a").text == "s3cret")
    }

    @Test("an attacker who takes the key out of the database gets no attributes either")
    func keyTakenAway() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        try stage.keychain.raw { try $0.execute(sql: "UPDATE genp SET itemkey = NULL") }
        #expect(stage.find("a", ["r_Attributes": .boolean(true)]).code == .itemNotFound)
        #expect(stage.quarantined == 1)
    }

    @Test("the tenth wrong passcode of a person erases what the device was told to erase")
    func erase() throws {
        let stage = try AuthenticationStage()
        try stage.service.ask(
            ConfigureDevice(passcode: secret("1234"), eraseAfterTenFailures: true, gracePeriodSeconds: nil),
            caller: TestKeychain.caller)
        try stage.store("a", .devicePasscode)
        for number in 0..<10 {
            stage.keychain.clock.advance(by: 100_000)
            stage.person.will(.type("wrong \(number)"), .cancel)
            _ = stage.find("a")
        }
        #expect(stage.keychain.status?.itemCounts["genp"] == 0)
    }
}
