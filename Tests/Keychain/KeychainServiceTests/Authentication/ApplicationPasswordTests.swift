import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@testable import LatchkeyKeychainService

@Suite("Application passwords, and a passcode that a program gives")
struct ApplicationPasswordTests {
    private func set(_ password: String?, _ session: ServiceSession, _ stage: AuthenticationStage) {
        let question = SetContextPassword(password.map { secret($0) })
        #expect(stage.service.refusal(of: question, session: session) == nil)
    }

    @Test("a password that the program sets needs no prompt")
    func fromSession() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        set("word", session, stage)
        try stage.store("a", .applicationPassword, session: session)
        let other = stage.openSession()
        set("word", other, stage)
        #expect(stage.find("a", session: other).text == "s3cret")
        #expect(stage.update("a", secret: "new", session: other).code == .success)
        #expect(stage.find("a", session: session).text == "new")
        #expect(stage.person.prompts.isEmpty)
    }

    @Test("a wrong password of the program fails at once, and harms nothing")
    func wrongFromSession() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        set("word", session, stage)
        try stage.store("a", .applicationPassword, session: session)
        set("other", session, stage)
        for reply in [stage.find("a", session: session), stage.update("a", secret: "new", session: session)] {
            #expect(reply.code == .authFailed && reply.refusal?.rule == .wrongApplicationPassword)
        }
        #expect(stage.person.prompts.isEmpty)
        set("word", session, stage)
        #expect(stage.find("a", session: session).text == "s3cret")
        #expect(stage.quarantined == 0)
    }

    @Test("a password that is taken back is asked for")
    func takenBack() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        set("word", session, stage)
        try stage.store("a", .applicationPassword, session: session)
        set(nil, session, stage)
        stage.person.will(.type("word"))
        #expect(stage.find("a", session: session).text == "s3cret")
        #expect(stage.person.prompts.map(\.kind) == [.applicationPassword(isNew: false)])
    }

    @Test("adding is where a person may be asked: for the new password")
    func fromPrompt() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.cancel)
        #expect(try stage.add("a", .applicationPassword).code == .userCanceled)
        stage.person.will(.type("word"), .type("word"))
        #expect(try stage.add("a", .applicationPassword).code == .success)
        #expect(stage.find("a").text == "s3cret")
        #expect(
            stage.person.prompts.map(\.kind)
                == [
                    .applicationPassword(isNew: true), .applicationPassword(isNew: true),
                    .applicationPassword(isNew: false),
                ])
    }

    @Test("a wrong password of a person is asked for again, three times in all")
    func wrongFromPrompt() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type("word"))
        #expect(try stage.add("a", .applicationPassword).code == .success)
        stage.person.will(.type("1"), .type("2"), .type("word"))
        #expect(stage.find("a").text == "s3cret")
        #expect(stage.person.prompts.map { $0.notice == nil } == [true, true, false, false])
        stage.person.will(.type("1"), .type("2"), .type("3"))
        let reply = stage.find("a")
        #expect(reply.code == .authFailed && reply.refusal?.rule == .wrongApplicationPassword)
        stage.person.will(.type("1"), .cancel)
        #expect(stage.find("a").code == .userCanceled)
        #expect(stage.person.stepsLeft == 0 && stage.quarantined == 0)
        #expect(stage.person.prompts.count == 9)
    }

    @Test("a wrong password that was typed is asked for again in the next call of the session")
    func wrongBefore() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type("word"))
        #expect(try stage.add("a", .applicationPassword).code == .success)
        let session = stage.openSession()
        stage.person.will(.type("1"), .cancel)
        #expect(stage.find("a", session: session).code == .userCanceled)
        stage.person.will(.type("word"))
        #expect(stage.find("a", session: session).text == "s3cret")
    }

    @Test("where asking is forbidden, a missing password fails the call")
    func forbidden() throws {
        let stage = try AuthenticationStage()
        let control = try AuthenticationStage.control(.applicationPassword)
        let query: [String: PropertyValue] = [
            "acct": .string("a"), "accc": control, "u_AuthUI": .string("u_AuthUIF"),
        ]
        let reply = stage.perform(.add, query, secret: "1")
        #expect(reply.code == .interactionNotAllowed && reply.refusal?.rule == .interactionNotAllowed)
        #expect(stage.find("a", [:]).code == .itemNotFound)
    }

    @Test("a password beside a condition: both are needed")
    func beside() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type("word"))
        #expect(try stage.add("a", [.applicationPassword, .biometryAny]).code == .success)
        stage.person.will(.match, .type("word"))
        #expect(stage.find("a").text == "s3cret")
        stage.person.will(.match, .cancel)
        #expect(stage.find("a").code == .userCanceled)
        #expect(stage.person.prompts.map(\.kind).filter { $0 == .finger }.count == 2)
    }

    @Test("an update to a new password asks for both, and the new one holds")
    func changing() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .devicePasscode)
        let control = try AuthenticationStage.control(.applicationPassword)
        stage.person.will(.type("1234"), .type("word"))
        #expect(stage.update("a", ["accc": control]).code == .success)
        #expect(stage.person.prompts.map(\.kind) == [.passcode, .applicationPassword(isNew: true)])
        stage.person.will(.type("word"))
        #expect(stage.find("a").text == "s3cret")
    }

    @Test("a password longer than the enclave takes is refused, not cut")
    func tooLong() throws {
        let stage = try AuthenticationStage()
        stage.person.will(.type(String(repeating: "x", count: 4097)))
        let reply = try stage.add("a", .applicationPassword)
        #expect(reply.code == .authFailed && reply.refusal?.rule == .authenticationFailed)
        stage.person.will(.type(String(repeating: "x", count: 4096)))
        #expect(try stage.add("a", .applicationPassword).code == .success)
    }

    // MARK: The passcode of a program

    private static let permitted = Caller(name: "tool", accessGroups: ["g", "h"], mayGivePasscode: true)

    @Test("a program that may gives the passcode in place of a prompt, once")
    func passcode() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        let give = SetContextPasscode(secret("1234"))
        let evaluate = EvaluatePolicy(.deviceOwner, Interaction(isAllowed: false))
        #expect(stage.service.refusal(of: give, caller: Self.permitted, session: session) == nil)
        #expect(stage.service.refusal(of: evaluate, caller: Self.permitted, session: session) == nil)
        let other = stage.openSession()
        #expect(stage.service.refusal(of: evaluate, caller: Self.permitted, session: other)?.error == .notInteractive)
        #expect(stage.person.prompts.isEmpty)
    }

    @Test("a wrong one is followed by a prompt, or by a failure where no prompt is allowed")
    func wrongPasscode() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        let evaluate = EvaluatePolicy(.deviceOwner, Interaction(isAllowed: false))
        for passcode in ["0", "00"] {
            let give = SetContextPasscode(secret(passcode))
            #expect(stage.service.refusal(of: give, caller: Self.permitted, session: session) == nil)
        }
        #expect(stage.service.refusal(of: evaluate, caller: Self.permitted, session: session)?.error == .notInteractive)
        let status = stage.keychain.status?.enclave
        #expect(status?.failedAttempts == 1)
        try stage.store("a", .devicePasscode)
        let give = SetContextPasscode(secret("000"))
        #expect(stage.service.refusal(of: give, caller: Self.permitted, session: session) == nil)
        stage.person.will(.type("1234"))
        #expect(stage.find("a", session: session).text == "s3cret")
        #expect(stage.person.prompts.first?.notice != nil)
    }

    @Test("it can be taken back, and does not help where biometry alone counts")
    func notUsed() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        try stage.service.ask(SetContextPasscode(secret("1234")), caller: Self.permitted, session: session)
        stage.person.will(.cancel)
        #expect(stage.evaluate(.biometry, session: session).error == .userCancel)
        try stage.service.ask(SetContextPasscode(nil), caller: Self.permitted, session: session)
        stage.person.will(.cancel)
        #expect(stage.evaluate(.deviceOwner, session: session).error == .userCancel)
    }

    @Test("any other program may not")
    func forbiddenPasscode() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        let refusal = stage.service.refusal(of: SetContextPasscode(secret("1234")), session: session)
        #expect(refusal?.error == .authenticationFailed && refusal?.refusal.rule == .passcodeNotFromProgram)
        stage.person.will(.cancel)
        #expect(stage.evaluate(.deviceOwner, session: session).error == .userCancel)
    }
}
