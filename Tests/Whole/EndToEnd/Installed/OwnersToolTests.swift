import Foundation
import Glibc
import LatchkeyItemModel
import Testing

@Suite("The owner's tool is known as such, not by its path")
struct OwnersToolTests {
    @Test("what one installation stored, another one finds on the same device, with a daemon and without")
    func sameItems() throws {
        let two = try TwoInstallations()
        #expect(try two(two.first, "add-generic-password -s embedded", input: "one").status == 0)
        #expect(try two(two.second, "find-generic-password -s embedded -w").output == "one\n")
        try #require(try two(two.first, "start").status == 0)
        #expect(try two(two.first, "find-generic-password -s embedded -w").output == "one\n")
        #expect(try two(two.first, "add-generic-password -s daemon", input: "two").status == 0)
        #expect(try two(two.first, "stop").status == 0)
        try #require(try two(two.second, "start").status == 0)
        for (service, secret) in [("embedded", "one"), ("daemon", "two")] {
            #expect(try two(two.second, "find-generic-password -s \(service) -w").output == secret + "\n")
        }
        #expect(try two(two.second, "add-generic-password -s daemon", input: "x").status == 45)
        #expect(try two(two.second, "status --json").json()["isOwnersTool"] as? Bool == true)
        let test = try two(two.second, "access test \(two.second)/latchkey --json").json()
        #expect((test["accessGroups"] as? [String])?.first == "org.latchkey.owner")
    }

    @Test("beside the daemon of another installation a latchkey is named as another file, until the owner adopts it")
    func adoption() throws {
        let two = try TwoInstallations()
        try #require(try two(two.second, "start").status == 0)
        #expect(try two(two.second, "add-generic-password -s mail", input: "one").status == 0)
        // Not by its name, nor under another one.
        let renamed = two.first + "/other"
        try FileManager.default.copyItem(atPath: two.first + "/latchkey", toPath: renamed)
        for program in [two.first, renamed] {
            let ending = try two(program, "find-generic-password -s mail -w")
            #expect(ending.status == 44)
            #expect(ending.output.isEmpty)
        }
        let missing = try two(two.first, "find-generic-password -s mail -w")
        #expect(missing.errors.contains(two.second + "/latchkey"), "\(missing.errors)")
        #expect(missing.errors.contains("latchkey adopt"))
        #expect(try two(two.first, "status").output.contains("is not this program"))
        #expect(try two(two.first, "adopt").status == 40, "no passcode is set")
        try #require(try two(two.second, "passcode set", input: "246810\n").status == 0)
        #expect(try two(two.first, "adopt", input: "000000\n").status == 20)
        #expect(try two(two.first, "find-generic-password -s mail -w").status == 44)
        #expect(try two(renamed, "adopt", input: "246810\n").status == 40)
        let adopted = try two(two.first, "adopt --json", input: "246810\n")
        #expect(adopted.status == 0, "\(adopted.errors)")
        #expect(try two(two.first, "find-generic-password -s mail -w").output == "one\n")
        #expect(try two(renamed, "find-generic-password -s mail -w").status == 44)
        #expect(try two(two.second, "explain").output.contains("not-the-owners-tool"))
        #expect(try two(two.second, "adopt --revoke", input: "246810\n").status == 0)
        #expect(try two(two.first, "find-generic-password -s mail -w").status == 44)
    }

    @Test("the status of a fresh copy advises no adoption where there is nothing to adopt")
    func freshCopy() throws {
        let two = try TwoInstallations()
        try #require(try two(two.second, "start").status == 0)
        #expect(try two(two.second, "add-generic-password -s mail", input: "one").status == 0)
        #expect(try two(two.first, "adopt --list").output.contains("No items are under former paths."))
        let fresh = try two(two.first, "status").output
        #expect(fresh.contains("that is \(two.second)/latchkey"), "\(fresh)")
        #expect(!fresh.contains("latchkey adopt"), "\(fresh)")
        #expect(!fresh.contains("items of its own"), "\(fresh)")
        #expect(try two(two.first, "add-generic-password -s own", input: "two").status == 0)
        let used = try two(two.first, "status").output
        #expect(used.contains("1 item of the tool: latchkey adopt"), "\(used)")
    }

    @Test("an unsigned program that is called latchkey is not the tool, whatever directory it lies in")
    func impostor() throws {
        let stage = try AttackStage()
        #expect(try stage.device("add-generic-password -s mail", input: "secret").status == 0)
        for name in ["latchkey", "latchkeyd", "mail"] {
            // One that takes the tool's name is told where the tool is, and nothing else.
            let rule = name == "latchkey" ? Rule.notTheOwnersTool : nil
            let outcome = try stage.outcome(of: try stage.program(name), Conversation.find("mail"))
            #expect(outcome == .answered(.itemNotFound, rule: rule, group: nil))
        }
        #expect(try stage.device("find-generic-password -s mail -w").output == "secret\n")
    }
}
