import Foundation
import LatchkeyTestSupport
import Testing

/// Devices that meet without a code.
@Suite("latchkey sync: joining by fingerprints")
struct SyncFingerprintTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    private func fingerprint(_ device: SyncDevice) throws -> String {
        try #require(try device.report()["fingerprint"] as? String)
    }

    @Test("each of two devices is given the fingerprint of the other one") func walk() throws {
        let (laptop, _) = try stage.founder()
        try laptop.add("bob", "secret")
        let desktop = try SyncDevice("desktop", stage.folder)
        let member = try fingerprint(laptop)
        let asked = try desktop.sync("join \(desktop.place) --member \(member) --no-wait --json", SyncDevice.passcode)
        #expect(asked.status == 0, "\(asked.errors)")
        let own = try #require(try asked.json()["fingerprint"] as? String)
        #expect(try fingerprint(desktop) == own)
        #expect(try desktop.sync("status").output.contains("latchkey sync approve \(own)"))
        #expect(try laptop.sync("status").output.contains(member))
        #expect(try laptop.sync("approve --yes", SyncDevice.passcode).status == 68, "no code was answered")
        let wrong = SyncMemberTests.mistyped(own)
        #expect(try laptop.sync("approve \(wrong) --yes", SyncDevice.passcode).status == 68)
        #expect(try laptop.sync("approve \(own)", SyncDevice.passcode).status == 37, "without a terminal or --yes")
        #expect(try laptop.sync("approve \(own) --yes", "111111").status == 20)
        #expect(try laptop.members() == ["laptop"])
        let plain = own.replacing("-", with: "").lowercased()
        let approved = try laptop.sync("approve \(plain) --yes --json", SyncDevice.passcode)
        #expect(approved.status == 0, "\(approved.errors)")
        #expect(try approved.json()["name"] is NSNull && approved.json()["fingerprint"] as? String == own)
        try [desktop, laptop].settle()
        #expect(try desktop.secret(of: "bob") == "secret")
        #expect(try laptop.members() == ["laptop", "desktop"])
    }

    @Test("join waits for the approval, and the end of a request ends the wait") func waiting() throws {
        let (laptop, _) = try stage.founder()
        let desktop = try SyncDevice("desktop", stage.folder)
        let member = try fingerprint(laptop)
        let joined = Pending { try? desktop.sync("join \(desktop.place) --member \(member)", SyncDevice.passcode) }
        eventually { (try? desktop.membership()) == "waiting" }
        #expect(try desktop.sync("leave", SyncDevice.passcode).status == 0)
        let ending = try #require(joined.value)
        #expect(ending.status == 68 && ending.errors.contains("taken back"), "\(ending)")
        let again = Pending { try? desktop.sync("join \(desktop.place) --member \(member)", SyncDevice.passcode) }
        eventually { (try? desktop.membership()) == "waiting" }
        #expect(try laptop.sync("approve \(fingerprint(desktop)) --yes", SyncDevice.passcode).status == 0)
        let second = try #require(again.value)
        #expect(second.status == 0 && second.output.contains("with 2 devices"), "\(second)")
    }

    @Test("a fingerprint of no member, and a code in its place, open nothing") func wrong() throws {
        let (laptop, recovery) = try stage.founder()
        let desktop = try SyncDevice("desktop", stage.folder)
        let wrong = SyncMemberTests.mistyped(try fingerprint(laptop))
        let unknown = try desktop.sync("join \(desktop.place) --member \(wrong) --no-wait", SyncDevice.passcode)
        #expect(unknown.status == 67 && unknown.errors.contains(stage.folder), "\(unknown)")
        let both = "join \(desktop.place) --member \(try fingerprint(laptop)) --code-fd 3"
        #expect(try desktop.sync(both, SyncDevice.passcode).status == 64)
        for line in [
            "join \(desktop.place) --member \(recovery)", "join \(desktop.place) --member=\(try laptop.invitation())",
            "approve \(recovery) --yes", "approve \(try fingerprint(laptop)) \(recovery)",
        ] {
            let ending = try desktop.sync(line, SyncDevice.passcode)
            #expect(ending.status == 30, "\(ending)")
            #expect(!(ending.output + ending.errors).contains(recovery.prefix(9)), "\(ending)")
        }
        #expect(try desktop.membership() == "none")
    }

    @Test("a repair that waits ends when the device leaves its circle") func repair() throws {
        let (laptop, desktop) = try stage.pair()
        let code = try laptop.invitation()
        let repaired = Pending { try? desktop.sync("repair", SyncDevice.passcode, code) }
        eventually { (try? desktop.report()["asking"] as? String) != nil }
        let asking = try #require(try desktop.report()["asking"] as? String)
        let again = try desktop.sync("repair", SyncDevice.passcode, code)
        #expect(again.status == 66 && again.errors.contains(asking), "\(again)")
        #expect(try desktop.report()["asking"] as? String == asking)
        #expect(try desktop.sync("status").output.contains("Waiting to be admitted as \(asking), its new identity"))
        #expect(try desktop.sync("leave --force", SyncDevice.passcode).status == 0)
        let ending = try #require(repaired.value)
        #expect(ending.status == 68 && ending.errors.contains("taken back"), "\(ending)")
    }
}
