import Foundation
import LatchkeyTestSupport
import Testing

/// Devices that leave a circle, are removed from it, and come back.
@Suite("latchkey sync: devices come and go")
struct SyncMemberTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    @Test("a removed device says so, gets nothing more, and brings nothing any more") func removal() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("before", "one")
        try [laptop, desktop].settle()
        #expect(try laptop.sync("remove desktop", SyncDevice.passcode).status != 0, "without a terminal or --yes")
        #expect(try laptop.sync("remove desktop --yes", "111111").status == 20)
        #expect(try laptop.sync("remove phone --yes", SyncDevice.passcode).status == 46)
        #expect(try laptop.members() == ["laptop", "desktop"])
        let removed = try laptop.sync("remove desktop --yes --json", SyncDevice.passcode)
        #expect(removed.status == 0, "\(removed.errors)")
        #expect(try removed.json()["readableItems"] as? [String: Int] == [SyncDevice.group: 1])
        try laptop.add("after", "two")
        try laptop.settle()
        #expect(try laptop.members() == ["laptop"])
        let devices = try laptop.sync("devices").output
        #expect(devices.contains(", removed 20") && devices.contains("Z by laptop (this one)\n"), "\(devices)")
        #expect(try desktop.sync("now").status == 68)
        #expect(try desktop.membership() == "departed")
        #expect(try desktop.sync("status").output.contains("was removed"))
        for line in ["wait --timeout 60", "wait --until-settled --timeout 60"] {
            #expect(try desktop.sync(line).status == 68, "\(line)")
        }
        #expect(try desktop.secret(of: "before") == "one" && desktop.secret(of: "after") == nil)
        try desktop.add("own", "three")
        try desktop.sync("now")
        try laptop.settle()
        #expect(try laptop.secret(of: "own") == nil)
        #expect(try desktop.sync("invite", SyncDevice.passcode).status == 68)
        #expect(try desktop.sync("create \(desktop.place)", SyncDevice.passcode).status == 66)

        // It forgets the circle, and may ask again.
        #expect(try desktop.sync("leave", SyncDevice.passcode).status == 0)
        #expect(try desktop.membership() == "none")
        try desktop.ask(laptop)
        try laptop.approve()
        try [desktop, laptop].settle()
        #expect(try laptop.secret(of: "own") == "three" && desktop.secret(of: "after") == "two")
    }

    @Test("a device that is removed with its items deletes them when it sees that") func removalWithItems() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        try desktop.add("local", "stays", "--accessible aku")
        #expect(try laptop.sync("remove desktop --yes --delete-items", SyncDevice.passcode).status == 0)
        try laptop.settle()
        try desktop.sync("now")
        #expect(try desktop.membership() == "departed")
        #expect(try desktop.secret(of: "bob") == nil && desktop.secret(of: "local") == "stays")
        #expect(try laptop.secret(of: "bob") == "secret", "the deletion does not travel")
    }

    @Test("a device that leaves keeps its items; the others go on without it") func leaving() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        #expect(try desktop.sync("leave --keep-items --delete-items", SyncDevice.passcode).status == 64)
        #expect(try desktop.sync("leave", "111111").status == 20)
        #expect(try desktop.membership() == "member")
        let left = try desktop.sync("leave", SyncDevice.passcode)
        #expect(left.status == 0, "\(left.errors)")
        #expect(try desktop.membership() == "none" && desktop.secret(of: "bob") == "secret")
        #expect(try desktop.sync("leave", SyncDevice.passcode).status == 74)
        try laptop.settle()
        #expect(try laptop.members() == ["laptop"])
        try laptop.add("after", "new")
        try laptop.settle()
        #expect(try desktop.secret(of: "after") == nil)
        #expect(try desktop.device.processes().allSatisfy { !$0.contains("latchkey-transport") })
    }

    @Test("a device that leaves with its items deletes them here alone") func leavingWithItems() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "secret")
        try desktop.add("stays", "local", "--accessible aku")
        try [laptop, desktop].settle()
        let left = try desktop.sync("leave --delete-items", SyncDevice.passcode)
        #expect(left.status == 0, "\(left.errors)")
        #expect(try desktop.secret(of: "bob") == nil && desktop.secret(of: "stays") == "local")
        try laptop.settle()
        #expect(try laptop.secret(of: "bob") == "secret")
    }

    @Test("leaving with changes that no other device has needs --force") func leavingEarly() throws {
        let (laptop, desktop) = try stage.pair()
        try [laptop, desktop].settle()
        try desktop.sync("pause", SyncDevice.passcode)
        try desktop.add("bob", "secret")
        let refused = try desktop.sync("leave", SyncDevice.passcode)
        // Paused: the others would never know.
        #expect(refused.status == 40 && refused.errors.contains("latchkey sync resume"), "\(refused)")
        #expect(try desktop.sync("invite", SyncDevice.passcode).status == 40)
        #expect(try desktop.membership() == "member")
        try desktop.sync("resume", SyncDevice.passcode)
        try desktop.settle()
        // The laptop has not said yet that it has the item.
        try laptop.sync("pause", SyncDevice.passcode)
        try desktop.add("carol", "secret")
        try desktop.settle()
        let early = try desktop.sync("leave", SyncDevice.passcode)
        #expect(early.status == 40 && early.errors.contains("--force"), "\(early)")
        #expect(early.errors.contains("The device laptop has not said yet that it has"), "\(early)")
        #expect(try desktop.membership() == "member")
        #expect(try desktop.sync("leave --force", SyncDevice.passcode).status == 0)
        #expect(try desktop.membership() == "none")
        try laptop.sync("resume", SyncDevice.passcode)
        try laptop.settle()
        #expect(try laptop.members() == ["laptop"])
        // The streams of a device that has left are not read any further.
        #expect(try laptop.secret(of: "carol") == nil && desktop.secret(of: "carol") == "secret")
    }

    @Test("without its store a device leaves with --force alone") func leavingWithoutStore() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        try FileManager.default.moveItem(atPath: stage.folder, toPath: stage.folder + "-away")
        #expect(try desktop.sync("leave", SyncDevice.passcode).status == 69)
        #expect(try desktop.sync("leave --force", SyncDevice.passcode).status == 0)
        #expect(try desktop.membership() == "none" && desktop.secret(of: "bob") == "secret")
    }

    @Test("on a terminal leave asks what becomes of the items") func leavingOnTerminal() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        let undecided = try ControllingTerminal("sync leave", on: desktop.device)
        try undecided.read(until: "Type keep or delete: ")
        undecided.type("yes\n")
        #expect(try undecided.end().status == 37)
        #expect(try desktop.membership() == "member")
        let decided = try ControllingTerminal("sync leave", on: desktop.device)
        try decided.read(until: "Type keep or delete: ")
        decided.type("delete\n")
        try decided.read(until: "asscode: ")
        decided.type(SyncDevice.passcode + "\n")
        let left = try decided.end()
        #expect(left.status == 0, "\(left)")
        #expect(try desktop.membership() == "none" && desktop.secret(of: "bob") == nil)
        #expect(try laptop.secret(of: "bob") == "secret")
    }

    @Test("a decision without the store stands, and the command says that no other device hears of it yet")
    func decidingWithoutStore() throws {
        let (laptop, desktop) = try stage.pair()
        try [laptop, desktop].settle()
        try FileManager.default.moveItem(atPath: stage.folder, toPath: stage.folder + "-away")
        let note = "No other device hears of it until the store is back: the folder is not there."
        for line in ["rekey", "recovery-code new", "remove desktop --yes"] {
            let decided = try laptop.sync(line, SyncDevice.passcode)
            #expect(decided.status == 0 && decided.output.contains(note), "\(line): \(decided)")
        }
        let words = try laptop.sync("status").output
        #expect(words.contains("Changes and decisions wait here"), "\(words)")
        try FileManager.default.moveItem(atPath: stage.folder + "-away", toPath: stage.folder)
        try laptop.settle()
        try desktop.sync("now")
        #expect(try desktop.membership() == "departed")
        let heard = try laptop.sync("rekey --json", SyncDevice.passcode)
        #expect(try heard.json()["storeTrouble"] is NSNull, "\(heard)")
    }

    @Test("with the recovery code a device gets the items when every other device is gone") func recovery() throws {
        let (laptop, code) = try stage.founder()
        try laptop.add("bob", "secret")
        try laptop.settle()
        try laptop.device("stop")
        let phone = try SyncDevice("phone", stage.folder)
        let wrong = try phone.sync("recover \(phone.place)", SyncDevice.passcode, Self.mistyped(code))
        #expect(wrong.status == 67, "\(wrong.errors)")
        #expect(try phone.sync("recover \(phone.place)", "111111", code).status == 20)
        let recovered = try phone.sync("recover \(phone.place) --json", SyncDevice.passcode, code)
        #expect(recovered.status == 0, "\(recovered.errors)")
        #expect(try recovered.json()["newestState"] is String)
        #expect(try phone.secret(of: "bob") == "secret")
        #expect(try phone.sync("devices").output.contains("with the recovery code"))
        try phone.add("carol", "other")
        // It waits for the others, and says what to do if they are gone.
        #expect(try phone.report()["joining"] as? Bool == true)
        #expect(try phone.sync("status").output.contains("latchkey sync remove"))
        #expect(try phone.number("waitingChanges") == 1)
        let removed = try phone.sync("remove laptop --yes", SyncDevice.passcode)
        #expect(removed.status == 0, "\(removed.errors)")
        try phone.settle()
        #expect(try phone.report()["joining"] as? Bool == false && phone.number("waitingChanges") == 0)
        let tablet = try stage.device("tablet", invitedBy: phone)
        #expect(try tablet.secret(of: "bob") == "secret" && tablet.secret(of: "carol") == "other")
    }

    @Test("a device that was lost for a while goes on beside the one with the recovery code") func found() throws {
        let (laptop, code) = try stage.founder()
        try laptop.add("bob", "secret")
        try laptop.settle()
        try laptop.device("stop")
        let phone = try SyncDevice("phone", stage.folder)
        #expect(try phone.sync("recover \(phone.place)", SyncDevice.passcode, code).status == 0)
        try phone.add("carol", "other")
        #expect(try laptop.device("start").status == 0)
        try laptop.unlock()
        try [laptop, phone, laptop].settle()
        #expect(try laptop.secret(of: "carol") == "other" && phone.secret(of: "bob") == "secret")
        #expect(try laptop.sync("devices").output.contains("with the recovery code"))
    }

    @Test("a new recovery code ends the one before") func newCode() throws {
        let (laptop, former) = try stage.founder()
        try laptop.add("bob", "secret")
        #expect(try laptop.sync("recovery-code new", "111111").status == 20)
        let made = try laptop.sync("recovery-code new --json", SyncDevice.passcode)
        let code = try #require(try made.json()["recoveryCode"] as? String, "\(made.errors)")
        #expect(code != former)
        try laptop.settle()
        let phone = try SyncDevice("phone", stage.folder)
        #expect(try phone.sync("recover \(phone.place)", SyncDevice.passcode, former).status == 67)
        #expect(try phone.sync("recover \(phone.place)", SyncDevice.passcode, code).status == 0)
        try [laptop, phone].settle()
        #expect(try phone.secret(of: "bob") == "secret")
    }

    @Test("the circle goes on under new keys when it is told to") func rekey() throws {
        let (laptop, desktop) = try stage.pair()
        #expect(try laptop.sync("rekey", SyncDevice.passcode).status == 0)
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "secret")
        try desktop.lock()
        #expect(try desktop.sync("rekey", SyncDevice.passcode).status == 36)
    }

    /// A code with one other character.
    static func mistyped(_ code: String) -> String {
        let first: Character = code.first == "7" ? "8" : "7"
        return String(first) + code.dropFirst()
    }
}
