import LatchkeyAccessControl
import LatchkeyAuditLog
import LatchkeyCodeSignature
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import Testing

@Suite("Who asked a person, as the person and the records have it")
struct RecordTests {
    @Test("a prompt names the team that the device trusts, or the bare identifier")
    func team() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        let team = TeamKeys.third.identifier.text
        let caller = Caller(
            name: "/opt/mail", accessGroups: ["g"], application: team + ".org.example.mail", level: .b)
        let request = ItemRequest(
            operation: .find, query: [QueryPair("class", .string("genp"))], wantsResult: false)
        stage.person.will(.cancel, .cancel)
        #expect(stage.service.perform(request, caller: caller).code == .userCanceled)
        #expect(stage.keychain.trust(TeamKeys.third, name: "Mail Makers", passcode: "1234") == "done")
        #expect(stage.service.perform(request, caller: caller).code == .userCanceled)
        let prompts = stage.person.prompts
        #expect(prompts.map(\.team) == [team, "Mail Makers (\(team))"])
        #expect(prompts.allSatisfy { $0.program == team + ".org.example.mail" && $0.level == .b })
    }

    @Test("evaluations are in the audit log, with the rule where they failed; questions and settings are not")
    func auditLog() throws {
        let stage = try AuthenticationStage()
        let session = stage.openSession()
        stage.person.will(.cancel, .match)
        #expect(stage.evaluate(.biometry, session: session).error == .userCancel)
        #expect(stage.evaluate(.biometry, session: session).error == nil)
        let questions: [any AuthenticationQuestion] = [
            CheckPolicy(.companion), DescribeBiometry(), SetContextPassword(nil),
        ]
        for question in questions { _ = stage.service.refusal(of: question, session: session) }
        stage.service.close()
        let events = try AuditReader(directory: stage.keychain.directory + "/keychain").tail(.max).map(\.event)
        let evaluations = events.filter { $0.operation == "evaluate" }.map { "\($0.code) \($0.rule)" }
        #expect(Set(evaluations) == ["0 ", "-128 user-cancelled"] && evaluations.count == 2)
        #expect(events.count == 3, "the two, and the passcode that was set")
    }

    @Test("an item call that a person refused is on record once, however often it began anew")
    func itemCall() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", [.biometryAny, .devicePasscode, .and])
        stage.person.will(.match, .type("0"), .cancel)
        #expect(stage.find("a").code == .userCanceled)
        let records = stage.keychain.refusals()
        #expect(records.count == 1)
        #expect(records.first?.refusal.rule == .userCancelled && records.first?.code == .userCanceled)
    }

    @Test("neither passcodes nor passwords of a person are in any record")
    func noSecrets() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .devicePasscode)
        stage.person.will(.type("NEEDLE-1"), .type("NEEDLE-2"), .type("NEEDLE-3"))
        #expect(stage.find("a").code == .authFailed)
        let words = stage.keychain.refusals().map { "\($0)" } + stage.person.prompts.map { "\($0)" }
        #expect(!words.isEmpty && !words.contains { $0.contains("NEEDLE") })
    }
}
