import Foundation
import LatchkeyTestSupport
import Testing

/// Codes, passcodes and lock states that do not fit.
@Suite("latchkey sync: what is needed to come into a circle")
struct SyncCodeTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    /// Runs `sync join` with a passcode and a code.
    private func join(_ device: SyncDevice, _ code: String, passcode: String = SyncDevice.passcode) throws -> Ending {
        try device.sync("join \(device.place) --no-wait", passcode, code)
    }

    @Test("a code that is mistyped, cut or of another circle opens nothing; the right one still does") func codes()
        throws
    {
        let (laptop, recovery) = try stage.founder()
        let code = try laptop.invitation()
        let desktop = try SyncDevice("desktop", stage.folder)
        let wrong = [
            SyncMemberTests.mistyped(code), String(code.dropLast()), code + "0", "x", recovery,
            String(repeating: "A", count: 1_000),
        ]
        for text in wrong {
            let ending = try join(desktop, text)
            #expect(ending.status == 67, "\(ending)")
            #expect(!(ending.output + ending.errors).contains(text.prefix(9)), "it is not repeated")
            #expect(try desktop.membership() == "none")
        }
        let empty = try join(desktop, "")
        #expect(empty.status == 31 && empty.errors.contains("There is no code"), "\(empty)")
        let ended = try desktop.sync("join \(desktop.place) --no-wait", SyncDevice.passcode)
        #expect(ended.status == 31 && ended.errors.contains("There is no code"), "\(ended)")
        // A code with a right check, for which the store has nothing.
        let other = try SyncStage()
        let elsewhere = try other.founder().device.invitation()
        let unknown = try join(desktop, elsewhere)
        #expect(unknown.status == 67 && unknown.errors.contains(stage.folder), "\(unknown)")
        let recovered = try desktop.sync("recover \(desktop.place)", SyncDevice.passcode, code)
        #expect(recovered.status == 67, "a recovery code is wanted: \(recovered)")

        // People leave out what stands between the groups, and do not look at the case.
        let plain = code.filter { $0.isLetter || $0.isNumber }.lowercased()
        let joined = try join(desktop, plain)
        #expect(joined.status == 0, "\(joined.errors)")
        #expect(try join(desktop, code).status == 66, "it waits already")
        try laptop.approve()
        try desktop.settle()
        // A code is used once.
        let phone = try SyncDevice("phone", stage.folder)
        #expect(try join(phone, code).status == 67)
        #expect(try laptop.sync("approve --yes", SyncDevice.passcode).status == 68)
    }

    @Test("a new invitation ends the one before, and so does --cancel") func ended() throws {
        let (laptop, _) = try stage.founder()
        let desktop = try SyncDevice("desktop", stage.folder)
        let first = try laptop.invitation()
        #expect(try laptop.report()["invitationExpires"] is String)
        let second = try laptop.invitation()
        #expect(first != second)
        #expect(try join(desktop, first).status == 67)
        #expect(try laptop.sync("invite --cancel", SyncDevice.passcode).output.contains("is ended"))
        #expect(try laptop.sync("invite --cancel", SyncDevice.passcode).output.contains("no open invitation"))
        #expect(try join(desktop, second).status == 67)
        #expect(try laptop.report()["invitationExpires"] is NSNull)
    }

    @Test(
        "a code among the arguments is refused and not repeated",
        arguments: [
            "join --store folder:/srv CODE", "join CODE --store folder:/srv", "join --code CODE --store folder:/srv",
            "join --code=CODE --store folder:/srv", "join --code-fd CODE --store folder:/srv", "join -- CODE",
            "recover --store folder:/srv CODE", "recover --recovery-code CODE", "recover --recovery-code=CODE",
            "recover -c CODE", "recovery-code new CODE", "approve CODE", "invite CODE", "--json join CODE",
        ])
    func argument(_ line: String) throws {
        let device = try ThrowawayDevice()
        let code = "7K3M-PQRS-TVWX"
        let words = ["sync"] + line.replacing("CODE", with: code).split(separator: " ").map(String.init)
        let ending = try device(words, input: SyncDevice.passcode + "\n")
        #expect(ending.status == 30, "\(ending)")
        #expect(!(ending.output + ending.errors).contains("7K3M"), "\(ending)")
        #expect(try device.processes().isEmpty)
    }

    @Test("the wrong passcode founds, joins and approves nothing") func wrongPasscode() throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        #expect(try laptop.sync("create \(laptop.place)", "111111").status == 20)
        #expect(try laptop.membership() == "none")
        let member = try stage.founder("member").device
        let code = try member.invitation()
        #expect(try join(laptop, code, passcode: "222222").status == 20)
        #expect(try laptop.membership() == "none")
        #expect(try join(laptop, code).status == 0)
        #expect(try member.sync("approve --yes", "333333").status == 20)
        #expect(try member.members() == ["member"])
        // Without a terminal it is not asked whether it is the right device.
        #expect(try member.sync("approve", SyncDevice.passcode).status == 37)
    }

    @Test("a device without a passcode neither founds nor joins nor recovers") func noPasscode() throws {
        let (member, recovery) = try stage.founder()
        let code = try member.invitation()
        let bare = try ThrowawayDevice()
        #expect(try bare("start").status == 0)
        let place = "--store folder:\(stage.folder) --name bare"
        for (line, input) in [
            ("sync create \(place)", ""), ("sync join \(place) --no-wait", code + "\n"),
            ("sync recover \(place)", recovery + "\n"),
        ] {
            let ending = try bare(line, input: input)
            #expect(ending.status == 26, "\(line): \(ending)")
        }
        #expect(try bare("sync status").output.contains("in no circle"))
        #expect(try member.sync("approve --yes", SyncDevice.passcode).status == 68)
    }

    @Test("a locked device neither founds nor joins nor recovers, nor approves") func locked() throws {
        let (member, recovery) = try stage.founder()
        let code = try member.invitation()
        let desktop = try SyncDevice("desktop", stage.folder)
        try desktop.lock()
        #expect(try desktop.sync("create \(desktop.place)", SyncDevice.passcode).status == 36)
        #expect(try join(desktop, code).status == 36)
        #expect(try desktop.sync("recover \(desktop.place)", SyncDevice.passcode, recovery).status == 36)
        #expect(try desktop.membership() == "none")
        try desktop.unlock()
        #expect(try join(desktop, code).status == 0)
        try member.lock()
        #expect(try member.sync("approve --yes", SyncDevice.passcode).status == 36)
        try member.unlock()
        try member.approve()
        try desktop.settle()
        #expect(try desktop.membership() == "member")
    }

    @Test("a device is in one circle, and says in which commands it would have to be in one") func once() throws {
        let (laptop, recovery) = try stage.founder()
        #expect(try laptop.sync("create \(laptop.place)", SyncDevice.passcode).status == 66)
        #expect(try laptop.sync("recover \(laptop.place)", SyncDevice.passcode, recovery).status == 66)
        #expect(try join(laptop, try laptop.invitation()).status == 66)
        #expect(try laptop.members() == ["laptop"])
        let alone = try SyncDevice("alone", stage.folder)
        for line in ["devices", "wait", "now"] {
            let ending = try alone.sync(line)
            #expect(ending.status == 74, "\(line): \(ending)")
        }
        for line in [
            "invite", "pause", "resume", "rekey", "leave", "recovery-code new", "groups allow g", "remove laptop --yes",
        ] {
            let ending = try alone.sync(line, SyncDevice.passcode)
            #expect(ending.status == 74, "\(line): \(ending)")
        }
        #expect(try alone.sync("conflicts", SyncDevice.passcode).output == "No version has lost.\n")
    }

    @Test("a device that waits for approval is restarted, and comes in all the same") func restartedJoin() throws {
        let (laptop, _) = try stage.founder()
        try laptop.add("bob", "secret")
        let desktop = try SyncDevice("desktop", stage.folder)
        try desktop.ask(laptop)
        try desktop.restart()
        #expect(try desktop.membership() == "waiting")
        try laptop.approve()
        try desktop.settle()
        #expect(try desktop.secret(of: "bob") == "secret")
        #expect(try desktop.members() == ["laptop", "desktop"])
    }

    @Test("a request is taken back with leave, and the device may ask again") func takenBack() throws {
        let (laptop, _) = try stage.founder()
        let desktop = try SyncDevice("desktop", stage.folder)
        try desktop.ask(laptop)
        #expect(try desktop.sync("leave", SyncDevice.passcode).status == 0)
        #expect(try desktop.membership() == "none")
        try desktop.ask(laptop)
        try laptop.approve()
        try desktop.settle()
        #expect(try desktop.membership() == "member")
    }

    @Test("an invitation ends with the daemon that made it") func restartedMember() throws {
        let (laptop, _) = try stage.founder()
        let desktop = try SyncDevice("desktop", stage.folder)
        try desktop.ask(laptop)
        try laptop.restart()
        #expect(try laptop.sync("approve --yes", SyncDevice.passcode).status == 68)
        #expect(try desktop.membership() == "waiting")
    }
}
