import Foundation
import LatchkeyTestSupport
import Testing

/// `latchkey sync` as two people with a folder between them type it.
@Suite("latchkey sync: items travel between devices")
struct SyncWalkTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    @Test("a device founds a circle, another one joins, and items, changes and deletions travel") func walk() throws {
        let (laptop, _) = try stage.founder("laptop")
        #expect(try laptop.membership() == "member")
        #expect(try laptop.members() == ["laptop"])
        try laptop.add("before", "one")
        try laptop.settle()
        let desktop = try SyncDevice("desktop", stage.folder)
        try desktop.add("own", "two")
        let early = try laptop.sync("approve --yes")
        #expect(early.status == 68 && early.errors.contains("latchkey sync invite"), "\(early)")
        try desktop.ask(laptop)
        #expect(try desktop.membership() == "waiting")
        let waiting = try desktop.sync("status").output
        #expect(waiting.contains("latchkey sync approve"), "\(waiting)")
        #expect(waiting.contains("Waiting to be admitted as \(try desktop.identifier())"), "\(waiting)")
        try laptop.approve()
        try [desktop, laptop].settle()
        #expect(try desktop.membership() == "member")
        #expect(try desktop.members() == ["laptop", "desktop"])
        #expect(try laptop.members() == ["laptop", "desktop"])
        // Items from before are on both; joining deleted none.
        #expect(try desktop.secret(of: "before") == "one")
        #expect(try laptop.secret(of: "own") == "two")

        try laptop.add("bob", "three")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "three")
        try desktop.update("bob", "four")
        try [desktop, laptop].settle()
        #expect(try laptop.secret(of: "bob") == "four")
        try laptop.delete("bob")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == nil)
        // The version that another device deleted is kept.
        #expect(try laptop.number("conflicts") == 0 && desktop.number("conflicts") == 1)
        let kept = try desktop.sync("conflicts", SyncDevice.passcode).output
        #expect(kept.contains("acct=bob") && kept.contains("; the item was deleted)"), "\(kept)")
        #expect(kept.contains("(written by desktop (this one) at "), "\(kept)")
        #expect(try laptop.number("waitingChanges") == 0 && laptop.number("sharedItems") == 2)
        let devices = try laptop.sync("devices").output
        #expect(devices.contains("laptop (this one)") && devices.contains("desktop"), "\(devices)")
        #expect(devices.contains("by laptop"), "\(devices)")
    }

    @Test("join waits for the approval, and ends with it") func waitingJoin() throws {
        let (laptop, _) = try stage.founder()
        let desktop = try SyncDevice("desktop", stage.folder)
        let code = try laptop.invitation()
        let joined = Pending { try? desktop.sync("join \(desktop.place)", SyncDevice.passcode, code) }
        eventually { (try? laptop.sync("approve --yes", SyncDevice.passcode).status) == 0 }
        let ending = try #require(joined.value)
        #expect(ending.status == 0 && ending.output.contains("in the circle, with 2 devices"), "\(ending)")
    }

    @Test("wait returns with the change of another device, and not before") func wait() throws {
        let (laptop, desktop) = try stage.pair()
        #expect(try desktop.sync("wait --timeout 1").status == 42)
        let waited = Pending { try? desktop.sync("wait --timeout 120 --json") }
        // The wait may begin after the first of these.
        var count = 0
        while !waited.isThere {
            count += 1
            try laptop.add("n\(count)", "secret")
        }
        let ending = try #require(waited.value)
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(try ending.json()["remoteChanges"] as? Int ?? 0 > 0)
    }

    @Test("a deletion reaches a locked device, which forgets the item when it is unlocked") func lockedDeletion() throws
    {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "secret")
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "bob") == "secret")
        try desktop.lock()
        try laptop.delete("bob")
        try laptop.settle()
        #expect(try desktop.sync("now").status == 0)
        #expect(try desktop.sync("status").output.contains("Locked"))
        try desktop.unlock()
        try desktop.settle()
        #expect(try desktop.secret(of: "bob") == nil)
        #expect(try desktop.number("sharedItems") == 0)
    }

    @Test("an item of another device comes to a locked device with the unlock") func lockedAddition() throws {
        let (laptop, desktop) = try stage.pair()
        try desktop.lock()
        try laptop.add("bob", "secret")
        try laptop.settle()
        #expect(try desktop.sync("now").status == 0)
        #expect(try desktop.number("sharedItems") == 0)
        try desktop.unlock()
        try desktop.settle()
        #expect(try desktop.secret(of: "bob") == "secret")
    }

    @Test("an item for this device only, and one of a program's own group, stay; status says why") func local() throws {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("stays", "secret", "--accessible aku")
        let own = "-s mail -a own --synchronizable"
        #expect(try laptop.device("add-generic-password \(own)", input: "secret").status == 0)
        try [laptop, desktop].settle()
        #expect(try desktop.secret(of: "stays") == nil)
        #expect(try laptop.report()["localItems"] as? [String: Int] == ["protectionClass": 1, "group": 1])
        let words = try laptop.sync("status").output
        #expect(words.contains("for this device only") && words.contains("groups allow"), "\(words)")

        // The tool has the same group on both devices, for it is the same program.
        let item = try laptop.device("find-generic-password \(own) --json").json()
        let attributes = item["attributes"] as? [String: Any] ?? item
        let group = try #require(attributes["agrp"] as? String ?? item["agrp"] as? String, "\(item)")
        #expect(try laptop.sync("groups allow \(group)", "111111").status == 20)
        #expect(try laptop.sync("groups allow \(group)", SyncDevice.passcode).status == 0)
        try [laptop, desktop].settle()
        for device in [laptop, desktop] {
            #expect(try device.sync("groups list").output.hasSuffix("\n  \(group)\n"))
            #expect(try device.sync("groups list --json").json()["allowed"] as? [String] == [group])
        }
        #expect(try desktop.device("find-generic-password \(own) -w").output == "secret\n")
        #expect(try laptop.report()["localItems"] as? [String: Int] == ["protectionClass": 1])
        #expect(try laptop.sync("groups forbid \(group)", SyncDevice.passcode).status == 0)
        let again = try laptop.sync("groups forbid \(group)", SyncDevice.passcode)
        #expect(again.status == 0 && again.output.contains("was not allowed"), "\(again)")
        let byKind = try laptop.sync("groups forbid \(SyncDevice.group)", SyncDevice.passcode)
        #expect(byKind.status == 40 && byKind.errors.contains("always travel"), "\(byKind)")
        try [laptop, desktop].settle()
        #expect(try laptop.device("add-generic-password \(own) -U", input: "new").status == 0)
        try [laptop, desktop].settle()
        #expect(try desktop.device("find-generic-password \(own) -w").output == "secret\n")
    }

    @Test("a paused device exchanges nothing, and goes on where it stopped") func pause() throws {
        let (laptop, desktop) = try stage.pair()
        let waited = Pending { try? desktop.sync("wait --timeout 120") }
        #expect(try desktop.sync("pause", SyncDevice.passcode).status == 0)
        #expect(waited.value?.status == 40, "nothing can come")
        #expect(try desktop.sync("wait --until-settled --timeout 60").status == 40)
        #expect(try desktop.sync("status").output.contains("latchkey sync resume"))
        #expect(try desktop.report()["paused"] as? Bool == true)
        try laptop.add("new", "one")
        try desktop.add("waits", "two")
        try laptop.settle()
        #expect(try laptop.secret(of: "waits") == nil && desktop.secret(of: "new") == nil)
        try desktop.restart()
        #expect(try desktop.report()["paused"] as? Bool == true)
        #expect(try desktop.number("sharedItems") == 1 && desktop.number("waitingChanges") == 1)
        #expect(try desktop.members() == ["laptop", "desktop"])
        let words = try desktop.sync("status").output
        #expect(
            words.contains("1 item shared") && words.contains("1 change of this device not in the store"), "\(words)")
        let removal = try desktop.sync("remove laptop --yes", SyncDevice.passcode)
        #expect(removal.status == 40 && removal.errors.contains("latchkey sync resume"), "\(removal)")
        #expect(try desktop.sync("resume", SyncDevice.passcode).status == 0)
        try [desktop, laptop].settle()
        #expect(try laptop.secret(of: "waits") == "two" && desktop.secret(of: "new") == "one")
    }

    @Test("two changes of one item meet: both devices have one, and the other one can be brought back") func conflict()
        throws
    {
        let (laptop, desktop) = try stage.pair()
        try laptop.add("bob", "first")
        try [laptop, desktop].settle()
        try desktop.sync("pause", SyncDevice.passcode)
        try desktop.update("bob", "of the desktop")
        try laptop.update("bob", "of the laptop")
        try laptop.settle()
        try desktop.sync("resume", SyncDevice.passcode)
        try [desktop, laptop, desktop].settle()
        let secret = try #require(try laptop.secret(of: "bob"))
        #expect(try desktop.secret(of: "bob") == secret)
        #expect(secret == "of the laptop", "the later call wins, although the other one is published later")
        // It is kept where the versions met, which is on one of them at least.
        let keepers = try [laptop, desktop].filter { try $0.number("conflicts") == 1 }
        let keeper = try #require(keepers.first)
        let text = try keeper.sync("conflicts", SyncDevice.passcode).output
        #expect(text.contains("bob") && text.contains(SyncDevice.group) && !text.contains("of the"), "\(text)")
        #expect(text.contains("(written by ") && text.contains("; another version won)"), "\(text)")
        let list = try keeper.sync("conflicts --json", SyncDevice.passcode).output
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(list.utf8)) as? [[String: Any]])
        let number = try #require(rows.first?["number"] as? Int)
        #expect(try keeper.sync("conflicts --restore \(number + 100)", SyncDevice.passcode).status == 46)
        #expect(try keeper.sync("conflicts --restore \(number)", SyncDevice.passcode).status == 0)
        try [keeper, laptop, desktop].settle()
        let restored = try #require(try laptop.secret(of: "bob"))
        #expect(restored != secret && restored.hasPrefix("of the"))
        #expect(try desktop.secret(of: "bob") == restored)
    }
}
