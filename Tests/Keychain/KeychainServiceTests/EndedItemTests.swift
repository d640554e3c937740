import GRDB
import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEnclaveService
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Items that end on purpose: not damage, counted and dated, and answered as Reference 7.2 has it.
@Suite struct EndedItemTests {
    private static let passcodeOnly: [String: PropertyValue] = ["pdmn": .string("akpu")]

    private static func keychain(_ directory: String? = nil) throws -> TestKeychain {
        let keychain = try TestKeychain(directory)
        try perform(SetPasscode(secret("1234")), on: keychain)
        return keychain
    }

    private static func perform(_ question: some ForwardedQuestion, on keychain: TestKeychain) throws {
        try keychain.service.ask(question, caller: TestKeychain.caller)
    }

    private static func removePasscode(of keychain: TestKeychain) throws {
        try perform(RemovePasscode(secret("1234")), on: keychain)
    }

    private static func items(_ keychain: TestKeychain) -> [EndedItem] {
        (try? keychain.service.ask(ListEndedItems(limit: 100), caller: TestKeychain.caller)) ?? []
    }

    private static func preview(_ cause: EndingCause, _ keychain: TestKeychain) -> EndingPreview? {
        try? keychain.service.ask(PreviewEndings(cause), caller: TestKeychain.caller)
    }

    @Test("with the passcode its items end: counted with the date, out of the items, and no damage")
    func passcode() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        keychain.add("b", "2", Self.passcodeOnly.merging(["agrp": .string("h")]) { $1 })
        keychain.add("c", "3")
        #expect(Self.preview(.passcodeRemoval, keychain) == EndingPreview(counts: ["g": 1, "h": 1]))
        #expect(keychain.status?.endedItems == [])
        keychain.clock.advance(by: 50)
        try Self.removePasscode(of: keychain)
        let date = keychain.clock.wallTime()
        keychain.clock.advance(by: 50)
        #expect(
            keychain.status?.endedItems == [EndedItemCount(reason: .passcodeRemoved, count: 2, lastDate: date)])
        #expect(keychain.status?.quarantinedRows == 0)
        #expect(keychain.status?.itemCounts["genp"] == 1)
        #expect(Set(Self.items(keychain).map(\.accessGroup)) == ["g", "h"])
        #expect(Self.items(keychain).allSatisfy { $0.ending == Ending(.passcodeRemoved, at: date) })
        #expect(keychain.secret(of: "c") == .success("3"))
    }

    @Test("a find says when and why the item ended, and latchkey explain shows it")
    func explained() throws {
        let keychain = try Self.keychain()
        keychain.clock.setWallTime(800_000_000)
        keychain.add("a", "1", Self.passcodeOnly)
        try Self.removePasscode(of: keychain)
        let reply = keychain.perform(.find, ["acct": .string("a")])
        #expect(reply.code == .itemNotFound && reply.refusal?.rule == .itemEnded)
        #expect(
            reply.refusal?.reason.contains("on 2026-05-09T06:13:20Z, when the device's passcode was removed") == true)
        #expect(keychain.refusals(1).map(\.refusal) == [reply.refusal])
        #expect(keychain.perform(.find, ["acct": .string("b")]).refusal == nil, "it names another item")
        let other = Caller(name: "other", accessGroups: ["other"])
        #expect(keychain.perform(.find, ["acct": .string("a")], caller: other).refusal == nil, "another group's item")
    }

    @Test("a search that looks into items says nothing of ended ones, and they count as not met")
    func matches() throws {
        let keychain = try Self.keychain()
        let host: [String: PropertyValue] = ["class": .string("inet"), "srvr": .string("example.com")]
        #expect(keychain.perform(.add, host.merging(Self.passcodeOnly) { $1 }, secret: "1").code == .success)
        let certificate: [String: PropertyValue] = [
            "class": .string("cert"), "issr": .data([1]), "slnr": .data([2]), "ctyp": .integer(3),
        ]
        let added = keychain.perform(.add, certificate.merging(Self.passcodeOnly) { $1 }, secret: "1")
        #expect(added.code == .success, "\(String(describing: added.refusal))")
        try Self.removePasscode(of: keychain)
        #expect(keychain.ended == [.passcodeRemoved: 2])
        let searches: [[String: PropertyValue]] = [
            ["class": .string("cert"), "m_TrustedOnly": .boolean(true)],
            ["class": .string("cert"), "m_EmailAddressIfPresent": .string("a@example.com")],
            ["class": .string("inet"), "m_HostOrSubdomainOfHost": .string("example.org")],
        ]
        for search in searches {
            let reply = keychain.perform(.find, search)
            #expect(reply.code == .itemNotFound && reply.refusal == nil, "\(search)")
        }
        #expect(keychain.perform(.delete, ["class": .string("cert")]).code == .success)
        #expect(keychain.perform(.delete, ["class": .string("inet")]).code == .success)
    }

    private struct Call: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let first: LatchkeyItemModel.ResultCode
        let second: LatchkeyItemModel.ResultCode
        let body: @Sendable (TestKeychain) -> ItemReply
    }

    private static let calls = [
        Call(testDescription: "find", first: .itemNotFound, second: .itemNotFound) {
            $0.perform(.find, ["acct": .string("a")])
        },
        Call(testDescription: "find all", first: .itemNotFound, second: .itemNotFound) {
            $0.perform(.find, ["m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true)])
        },
        Call(testDescription: "update", first: .itemNotFound, second: .itemNotFound) {
            $0.perform(.update, ["acct": .string("a")], changes: ["labl": .string("l")])
        },
        Call(testDescription: "delete", first: .success, second: .itemNotFound) {
            $0.perform(.delete, ["acct": .string("a")])
        },
        Call(testDescription: "delete after a find", first: .itemNotFound, second: .itemNotFound) {
            _ = $0.perform(.find, ["acct": .string("a")])
            return $0.perform(.delete, ["acct": .string("a")])
        },
        Call(testDescription: "delete of another", first: .itemNotFound, second: .itemNotFound) {
            $0.perform(.delete, ["acct": .string("b")])
        },
        Call(testDescription: "add", first: .success, second: .duplicateItem) {
            $0.perform(.add, ["acct": .string("a"), "svce": .string("s")], secret: "new")
        },
    ]

    @Test("an ended item answers as a row whose key does not exist, and stays on record", arguments: calls)
    private func answers(_ call: Call) throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        try Self.removePasscode(of: keychain)
        #expect(call.body(keychain).code == call.first)
        #expect(call.body(keychain).code == call.second)
        #expect(keychain.ended == [.passcodeRemoved: 1])
    }

    @Test("a new passcode and new items leave the former ones ended")
    func newPasscode() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "old", Self.passcodeOnly)
        try Self.removePasscode(of: keychain)
        try Self.perform(SetPasscode(secret("1234")), on: keychain)
        #expect(keychain.secret(of: "a") == .failure(.itemNotFound))
        #expect(keychain.add("a", "new", Self.passcodeOnly) == .success)
        #expect(keychain.secret(of: "a") == .success("new"))
        try Self.removePasscode(of: keychain)
        #expect(keychain.ended == [.passcodeRemoved: 2])
        #expect(keychain.status?.quarantinedRows == 0)
    }

    @Test("a crash between the end of the key and that of its items is made good at the next start, and says so")
    func crash() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try Self.keychain(directory.path)
            keychain.add("a", "1", Self.passcodeOnly)
            // Behind the service's back, as where it was killed before it could look.
            _ = try keychain.enclave.ask(RemovePasscode(secret("1234")))
        }
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.ended == [.passcodeRemoved: 1])
        #expect(Self.items(keychain).first?.ending.isNoticedLater == true)
        let reason = keychain.perform(.find, ["acct": .string("a")]).refusal?.reason
        #expect(reason?.contains("or before") == true)
    }

    @Test("a passcode that is set again before anybody looked does not turn ended items into damage")
    func setAgain() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        _ = try keychain.enclave.ask(RemovePasscode(secret("1234")))
        try Self.perform(SetPasscode(secret("1234")), on: keychain)
        #expect(keychain.add("b", "2", Self.passcodeOnly) == .success)
        #expect(keychain.secret(of: "a") == .failure(.itemNotFound))
        #expect(keychain.secret(of: "b") == .success("2"))
        #expect(keychain.ended == [.passcodeRemoved: 1] && keychain.status?.quarantinedRows == 0)
    }

    @Test("items of a passcode that is set while ended items are looked for stay")
    func setMeanwhile() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        _ = try keychain.enclave.ask(RemovePasscode(secret("1234")))
        keychain.mailbox.afterNext("AskStatus") { [unowned keychain] in
            guard (try? keychain.enclave.ask(SetPasscode(secret("1234")))) != nil else {
                Issue.record("it is not set")
                return
            }
            #expect(keychain.add("b", "2", Self.passcodeOnly) == .success)
        }
        _ = try? keychain.service.ask(SetPasscode(secret("5678")), caller: TestKeychain.caller)
        #expect(keychain.secret(of: "b") == .success("2"))
        #expect(keychain.status?.itemCounts["genp"] == 1)
        #expect(keychain.ended == [.passcodeRemoved: 1])
    }

    @Test("a program that may not set a passcode has no items ended")
    func unauthorised() throws {
        let keychain = try TestKeychain(unprovenOwner: .root(tool: "latchkey"))
        let root = Caller(
            name: "root", accessGroups: ["r"],
            process: CallerProcess(processID: 9, userID: 0, executableDigest: nil))
        guard (try? keychain.service.ask(SetPasscode(secret("1234")), caller: root)) != nil else {
            throw Unexpected()
        }
        keychain.add("a", "1", Self.passcodeOnly)
        _ = try keychain.enclave.ask(RemovePasscode(secret("1234")))
        #expect(keychain.outcome(SetPasscode(secret("1234"))) == Rule.ownerNeedsRoot.rawValue)
        #expect(keychain.ended == [:])
        guard (try? keychain.service.ask(SetPasscode(secret("1234")), caller: root)) != nil else {
            throw Unexpected()
        }
        #expect(keychain.ended == [.passcodeRemoved: 1])
    }

    @Test("a wrong passcode ends nothing")
    func wrongPasscode() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        _ = try? keychain.service.ask(RemovePasscode(secret("9999")), caller: TestKeychain.caller)
        #expect(keychain.ended == [:])
        #expect(keychain.secret(of: "a") == .success("1"))
    }

    @Test("damage stays damage: a touched row of the same class is set aside and not called ended")
    func damage() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        try keychain.raw { try $0.execute(sql: "UPDATE genp SET attributes = x'00'") }
        let reply = keychain.perform(.find, ["acct": .string("a")])
        #expect(reply.code == .itemNotFound && reply.refusal == nil)
        #expect(keychain.status?.quarantinedRows == 1 && keychain.ended == [:])
    }

    @Test("neither an erase nor the removal of a group leaves a memory of ended items")
    func forgotten() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        keychain.add("b", "1", Self.passcodeOnly.merging(["agrp": .string("h")]) { $1 })
        try Self.removePasscode(of: keychain)
        _ = try keychain.service.deleteItems(inAccessGroups: ["g"])
        #expect(keychain.ended == [.passcodeRemoved: 1])
        #expect(Self.preview(.erasure, keychain) == EndingPreview(counts: [:]))
        try Self.perform(EraseDevice(passcode: nil), on: keychain)
        #expect(keychain.ended == [:])
    }

    @Test("no attribute and no secret of an ended item stays in the file")
    func nothingStays() throws {
        let keychain = try Self.keychain()
        keychain.add("a", "1", Self.passcodeOnly)
        try Self.removePasscode(of: keychain)
        let columns = try keychain.raw { db in
            try db.columns(in: "ended_genp").map(\.name)
        }
        #expect(!columns.contains { ["attributes", "secret", "itemkey"].contains($0) })
        #expect(try keychain.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM genp") } == 0)
        #expect(
            try keychain.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM metadatakeys WHERE keyclass = 12") } == 0
        )
    }

    @Test("rows that former versions took for damage come over as ended; true damage stays in quarantine")
    func migration() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            for account in ["a", "b", "c", "d"] { keychain.add(account, "1") }
        }
        let reasons = [
            "the key of its protection class no longer exists", "its key in the enclave was deleted",
            "the fingers it was for are no longer those that are enrolled", "it cannot be decoded",
        ]
        let queue = try DatabaseQueue(path: directory.path + "/keychain/keychain.db")
        try queue.write { db in
            for (index, reason) in reasons.enumerated() {
                try db.execute(
                    sql: """
                        INSERT INTO quarantine (class, agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes,
                            reason, moved)
                        SELECT 'genp', agrp, pdmn, sync, tomb, cdat, mdat, persistref, uuid, attributes, ?, ? FROM genp
                        LIMIT 1
                        """, arguments: [reason, 700_000_000_000_000 + index])
            }
            // As the former format had it.
            for table in ["genp", "inet", "cert", "keys"] {
                try db.execute(sql: "DROP TABLE ended_\(table); DROP INDEX \(table)_passcode;")
            }
            try db.execute(sql: "DROP TABLE fingerchanges; DELETE FROM grdb_migrations WHERE identifier = '6'")
        }
        try queue.close()
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.status?.quarantinedRows == 1)
        #expect(keychain.ended == [.passcodeRemoved: 1, .fingersChanged: 1, .keyDeleted: 1])
        #expect(
            Self.items(keychain).allSatisfy { $0.ending.isNoticedLater && Int($0.ending.date.seconds) == 700_000_000 })
    }

    // Fingers

    @Test("a finger that is removed ends what was bound to the set, at once and with the date")
    func fingers() throws {
        let stage = try AuthenticationStage(fingers: [.rightIndex, .leftIndex])
        try stage.store("set", .biometryCurrentSet)
        try stage.store("any", .biometryAny)
        #expect(stage.preview(.fingerChange) == EndingPreview(counts: ["g": 1]))
        stage.keychain.clock.advance(by: 60)
        try Self.perform(RemoveFinger(.leftIndex, passcode: secret("1234")), on: stage.keychain)
        #expect(stage.ended == [.fingersChanged: 1] && stage.quarantined == 0)
        let ending = Self.items(stage.keychain).first?.ending
        #expect(ending == Ending(.fingersChanged, at: stage.keychain.clock.wallTime()))
        stage.keychain.clock.advance(by: 60)
        let reply = stage.find("set")
        #expect(reply.code == .itemNotFound && reply.refusal?.rule == .itemEnded)
        #expect(stage.person.prompts.isEmpty)
    }

    @Test("a removal that fails, or a reader that cannot tell, ends nothing", arguments: ["1234", "9999"])
    func readerFails(passcode: String) throws {
        let stage = try AuthenticationStage(fingers: [.rightIndex, .leftIndex])
        try stage.store("set", .biometryCurrentSet)
        let sensor = stage.sensor
        stage.mailbox.before("RemoveFinger") { sensor.obstacle = .disconnected }
        let messages = stage.mailbox.messages {
            _ = try? stage.service.ask(
                RemoveFinger(.leftIndex, passcode: secret(passcode)), caller: TestKeychain.caller)
        }
        #expect(messages.contains("RemoveFinger") && !messages.contains("UnwrapKeys"))
        #expect(try stage.keychain.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM fingerchanges") } == 0)
        #expect(stage.ended == [:])
    }

    @Test("the last finger that is removed ends what was bound to it, with the date")
    func lastFinger() throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        try Self.perform(RemoveFinger(nil, passcode: secret("1234")), on: stage.keychain)
        #expect(stage.ended == [.fingersChanged: 1])
        #expect(Self.items(stage.keychain).first?.ending.isNoticedLater == false)
    }

    @Test("an enrolment ends what was bound to the fingers before it, and a failed one ends nothing")
    func enrolment() throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        stage.sensor.enrolmentEnd = .duplicate
        stage.enrol(.leftIndex)
        #expect(stage.ended == [:])
        stage.sensor.enrolmentEnd = .completed
        stage.enrol(.leftIndex)
        #expect(stage.ended == [.fingersChanged: 1])
        #expect(Self.items(stage.keychain).first?.ending.isNoticedLater == false)
    }

    @Test("while the device is locked the preview says what it cannot see, and the item ends with the right date later")
    func lockedFingers() throws {
        let stage = try AuthenticationStage(fingers: [.rightIndex, .leftIndex])
        try stage.store("set", .biometryCurrentSet)
        try stage.store("open", .biometryCurrentSet, protection: .always)
        stage.lock()
        #expect(stage.preview(.fingerChange) == EndingPreview(counts: ["g": 1], unseenCount: 1))
        stage.keychain.clock.advance(by: 60)
        try Self.perform(RemoveFinger(.leftIndex, passcode: secret("1234")), on: stage.keychain)
        let date = stage.keychain.clock.wallTime()
        #expect(stage.ended == [.fingersChanged: 1])
        stage.keychain.clock.advance(by: 3600)
        try Self.perform(UnlockDevice(secret("1234")), on: stage.keychain)
        #expect(stage.find("set").code == .itemNotFound)
        #expect(stage.ended == [.fingersChanged: 2] && stage.quarantined == 0)
        #expect(Self.items(stage.keychain).allSatisfy { $0.ending == Ending(.fingersChanged, at: date) })
    }

    @Test("fingers that change outside of Latchkey end items when a call meets them, with the date when it was noticed")
    func outside() throws {
        let stage = try AuthenticationStage()
        try stage.store("set", .biometryCurrentSet)
        stage.sensor.enrol(.leftIndex)
        stage.keychain.clock.advance(by: 60)
        #expect(stage.find("set").refusal?.rule == .itemEnded)
        let ending = Self.items(stage.keychain).first?.ending
        #expect(ending == Ending(.fingersChanged, at: stage.keychain.clock.wallTime(), isNoticedLater: true))
    }

    @Test("keys of the enclave count, too: of the passcode's class and of the fingers")
    func enclaveKeys() throws {
        let stage = try AuthenticationStage(fingers: [.rightIndex, .leftIndex])
        let ofPasscode = try stage.keychain.makeKey(.privateKeyUsage, .whenPasscodeSetThisDeviceOnly)
        let ofFingers = try stage.keychain.makeKey([.privateKeyUsage, .biometryCurrentSet])
        #expect(stage.keychain.store(ofPasscode, ["atag": .string("p")]).code == .success)
        #expect(stage.keychain.store(ofFingers, ["atag": .string("f")]).code == .success)
        #expect(stage.preview(.passcodeRemoval) == EndingPreview(counts: ["g": 1]))
        #expect(stage.preview(.fingerChange) == EndingPreview(counts: ["g": 1]))
        try Self.perform(RemoveFinger(.leftIndex, passcode: secret("1234")), on: stage.keychain)
        #expect(stage.ended == [.fingersChanged: 1])
        try Self.removePasscode(of: stage.keychain)
        #expect(stage.ended == [.fingersChanged: 1, .passcodeRemoved: 1])
        #expect(stage.keychain.count(.key) == 0 && stage.quarantined == 0)
    }
}

extension AuthenticationStage {
    fileprivate func preview(_ cause: EndingCause) -> EndingPreview? {
        try? service.ask(PreviewEndings(cause), caller: TestKeychain.caller)
    }

    /// The whole of an enrolment.
    fileprivate func enrol(_ finger: Finger) {
        _ = try? service.ask(BeginEnrolment(of: finger, passcode: secret("1234")), caller: TestKeychain.caller)
        while let event = try? service.ask(ContinueEnrolment(), caller: TestKeychain.caller) {
            switch event {
            case .completed, .duplicate, .ended, .failed: return
            case .stage, .unclear: continue
            }
        }
    }
}
