import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@Suite("Adding, changing and deleting items with conditions")
struct ConditionedChangeTests {
    private static let kinds: [AccessControlFlags] = [
        .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .companion,
        [.biometryAny, .devicePasscode, .and],
    ]

    @Test("adding needs no prompt", arguments: kinds)
    func adding(flags: AccessControlFlags) throws {
        let stage = try AuthenticationStage()
        try stage.store("a", flags)
        #expect(stage.person.prompts.isEmpty)
        #expect(try stage.add("a", flags).code == .duplicateItem)
    }

    @Test("an item for biometry needs an enrolled finger when it is added")
    func nothingEnrolled() throws {
        let stage = try AuthenticationStage(fingers: [])
        for flags in [AccessControlFlags.biometryAny, .biometryCurrentSet] {
            let reply = try stage.add("a", flags)
            #expect(reply.code == .authFailed && reply.refusal?.rule == .biometryNotEnrolled)
        }
        try stage.store("a", .userPresence)
        stage.person.will(.type("1234"))
        #expect(stage.find("a").text == "s3cret")
    }

    @Test("an item for biometry needs a reader when it is added")
    func noReader() throws {
        let stage = try AuthenticationStage()
        stage.sensor.obstacle = .disconnected
        let reply = try stage.add("a", .biometryCurrentSet)
        #expect(reply.code == .authFailed && reply.refusal?.rule == .biometryDisconnected)
    }

    @Test("without a passcode neither biometry nor the class that needs one")
    func noPasscode() throws {
        let stage = try AuthenticationStage(hasPasscode: false)
        let biometry = try stage.add("a", .biometryAny)
        #expect(biometry.code == .authFailed && biometry.refusal?.rule == .passcodeNotSet)
        for flags in [[], AccessControlFlags.userPresence, .biometryAny, .biometryCurrentSet] {
            let reply = try stage.add("a", flags, protection: .whenPasscodeSetThisDeviceOnly)
            #expect(reply.code == .notAvailable && reply.refusal?.rule == .classKeyMissing)
        }
        try stage.store("a", .userPresence)
        #expect(stage.find("a").refusal?.rule == .passcodeNotSet)
    }

    @Test("conditions and a device that synchronizes exclude each other")
    func synchronizable() throws {
        let stage = try AuthenticationStage()
        let control = try AuthenticationStage.control(.userPresence)
        let reply = stage.perform(
            .add, ["acct": .string("a"), "accc": control, "sync": .boolean(true)], secret: "1")
        #expect(reply.code == .param && reply.refusal?.rule == .synchronizableWithConditions)
    }

    @Test("an item for these fingers is gone when they change, one for any fingers is not")
    func currentSet() throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        try stage.store("any", .biometryAny)
        let session = stage.openSession()
        stage.person.will(.match)
        #expect(stage.find("set", session: session).code == .success)
        stage.sensor.enrol(.leftIndex)
        #expect(stage.find("set", session: session).code == .itemNotFound)
        #expect(stage.quarantined == 0 && stage.ended == [.fingersChanged: 1])
        stage.person.will(.match)
        #expect(stage.find("any", session: session).text == "s3cret")
        #expect(stage.person.prompts.count == 2, "a match of the former fingers counts no more")
    }

    @Test("an update does not find it either, and sets it aside")
    func currentSetUpdate() throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        stage.sensor.removeAll()
        #expect(stage.update("set", secret: "new").code == .itemNotFound)
        #expect(stage.quarantined == 0 && stage.ended == [.fingersChanged: 1])
        #expect(stage.person.prompts.isEmpty)
    }

    @Test("a new item takes the place of one whose fingers are gone, and of no other")
    func replaced() throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        #expect(try stage.add("set", .biometryCurrentSet).code == .duplicateItem)
        stage.sensor.obstacle = .busy
        #expect(try stage.add("set", [], secret: "plain").code == .duplicateItem, "a busy reader says nothing")
        stage.sensor.obstacle = nil
        stage.sensor.enrol(.leftIndex)
        try stage.store("set", .biometryCurrentSet, secret: "second")
        #expect(stage.quarantined == 0 && stage.ended == [.fingersChanged: 1])
        stage.person.will(.match)
        #expect(stage.find("set").text == "second")
    }

    @Test("a new access control is bound to what is enrolled now")
    func newControl() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        let control = try AuthenticationStage.control(.biometryCurrentSet)
        stage.person.will(.fallback, .type("1234"))
        #expect(stage.update("a", ["accc": control]).code == .success)
        stage.person.will(.match)
        let reply = stage.find("a", ["r_Attributes": .boolean(true), "r_Data": .boolean(true)])
        #expect(reply.text == "s3cret")
        guard case .dictionary(let found)? = reply.result, case .reference(_, let bytes)? = found["accc"] else {
            throw Unexpected()
        }
        let kept = try AccessControl(serialised: bytes)
        #expect(kept.isBound && kept.enrolmentSet != nil && kept.flags == .biometryCurrentSet)
        stage.sensor.enrol(.leftIndex)
        #expect(stage.find("a").code == .itemNotFound)
    }

    @Test("a new access control that cannot be bound changes nothing")
    func unboundControl() throws {
        let stage = try AuthenticationStage(fingers: [])
        try stage.store("a", [])
        let reply = stage.update("a", ["accc": try AuthenticationStage.control(.biometryAny)])
        #expect(reply.code == .authFailed && reply.refusal?.rule == .biometryNotEnrolled)
        #expect(stage.find("a").text == "s3cret")
    }

    @Test("data and attributes change only after the person proved what reading asks for")
    func updating() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        stage.person.will(.cancel, .cancel)
        #expect(stage.update("a", secret: "new").code == .userCanceled)
        #expect(stage.update("a", ["labl": .string("new")]).code == .userCanceled)
        stage.person.will(.match)
        #expect(stage.find("a").text == "s3cret")
        stage.person.will(.match, .match)
        #expect(stage.update("a", secret: "new").code == .success)
        #expect(stage.update("a", ["labl": .string("new")]).code == .success)
        stage.person.will(.match)
        #expect(stage.find("a", ["r_Data": .boolean(true), "labl": .string("new")]).text == "new")
        #expect(stage.person.prompts.count == 6)
    }

    @Test("a new protection class alone drops the conditions, after the person agreed")
    func dropping() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .userPresence)
        stage.person.will(.cancel)
        #expect(stage.update("a", ["pdmn": .string("ck")]).code == .userCanceled)
        stage.person.will(.cancel, .match)
        #expect(stage.find("a").code == .userCanceled)
        #expect(stage.update("a", ["pdmn": .string("ck")]).code == .success)
        #expect(stage.find("a").text == "s3cret")
        #expect(stage.person.prompts.count == 3)
    }

    @Test("several items are changed together or not at all")
    func several() throws {
        let stage = try AuthenticationStage()
        try stage.store("a", [], secret: "1")
        try stage.store("b", .userPresence, secret: "2")
        stage.person.will(.cancel)
        #expect(stage.perform(.update, [:], changes: ["labl": .string("l")]).code == .userCanceled)
        #expect(stage.find("a", ["labl": .string("l")]).code == .itemNotFound)
        stage.person.will(.match)
        let reply = stage.perform(.update, [:], changes: ["labl": .string("l")])
        #expect(reply.code == .success && reply.affectedRows == 2)
        #expect(stage.find("a", ["labl": .string("l")]).code == .success)
    }

    @Test("deleting needs no prompt, unlocked or locked", arguments: [false, true])
    func deleting(isLocked: Bool) throws {
        let stage = try AuthenticationStage()
        try stage.store("a", .biometryAny)
        try stage.store("b", .devicePasscode, protection: .whenPasscodeSetThisDeviceOnly)
        if isLocked { stage.lock() }
        let reply = stage.perform(.delete, [:])
        #expect(reply.code == .success && reply.affectedRows == 2)
        #expect(stage.perform(.delete, [:]).code == .itemNotFound)
        #expect(stage.person.prompts.isEmpty)
    }
}
