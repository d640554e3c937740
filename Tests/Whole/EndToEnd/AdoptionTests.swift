import Foundation
import Glibc
import Testing

@Suite("Items under former paths of the tool become the owner's")
struct AdoptionTests {
    private static let home = "unsigned.latchkey.0123456789abcdef0123"

    private func add(_ line: String, to group: String? = nil, on device: ThrowawayDevice) throws {
        let ending = try device(
            "add-generic-password " + line + (group.map { " --access-group \($0)" } ?? ""),
            input: (group == nil ? "" : "246810\n") + "secret")
        try #require(ending.status == 0, "\(line): \(ending.errors)")
    }

    @Test(
        "one of a name that is taken holds up no other, is counted as that, and can be deleted as told"
    )
    func duplicates() throws {
        let device = try ThrowawayDevice.unlocked()
        for name in ["one", "two", "taken"] { try add("-s \(name) --require passcode", to: Self.home, on: device) }
        for name in ["plain", "plain-taken"] { try add("-s \(name)", to: Self.home, on: device) }
        for name in ["taken", "plain-taken"] { try add("-s \(name)", on: device) }
        let pinentry = try ScriptedPinentry()

        let first = try device.withoutTerminal("adopt", input: "246810\n", environment: pinentry.environment)
        #expect(first.status == 34, "\(first.output)\(first.errors)")
        #expect(first.output.contains("3 items moved"), "\(first.output)")
        #expect(first.output.contains("2 items: not moved, because the owner's group has an item of the same name."))
        #expect(first.output.contains("--access-group org.latchkey.owner or --access-group \(Self.home)"))
        #expect(!first.output.contains("authentication"))
        let again = try device.withoutTerminal("adopt --json", input: "246810\n", environment: pinentry.environment)
        #expect(try again.json()["duplicate"] as? Int == 2, "\(again.output)")
        #expect(try again.json()["guarded"] as? Int == 0)

        // Both fit without the group.
        #expect(
            try device.withoutTerminal("delete-generic-password -s plain-taken", environment: pinentry.environment)
                .status == 38)
        #expect(
            try device("delete-generic-password -s plain-taken --access-group \(Self.home)", input: "246810\n").status
                == 0)
        #expect(try device("delete-generic-password -s taken --access-group org.latchkey.owner").status == 0)
        let last = try device.withoutTerminal("adopt --json", input: "246810\n", environment: pinentry.environment)
        #expect(last.status == 0, "\(last.output)\(last.errors)")
        #expect(try last.json()["moved"] as? Int == 1)
        let found = try device.withoutTerminal(
            "find-generic-password -s taken -w --access-group org.latchkey.owner", environment: pinentry.environment)
        #expect(found.output == "secret\n", "\(found.errors)")
    }

    @Test("what is locked holds up no guarded item that is not")
    func locked() throws {
        let device = try ThrowawayDevice.unlocked()
        try add("-s locked", to: Self.home, on: device)
        try add("-s open --accessible after-first-unlock --require passcode", to: Self.home, on: device)
        try #require(try device("lock --now").status == 0)
        let pinentry = try ScriptedPinentry()
        let ending = try device.withoutTerminal("adopt --json", input: "246810\n", environment: pinentry.environment)
        #expect(ending.status == 34, "\(ending.output)\(ending.errors)")
        #expect(try ending.json()["moved"] as? Int == 1)
        #expect(try ending.json()["locked"] as? Int == 1)
        #expect(try ending.json()["guarded"] as? Int == 0)
    }

    @Test("killed while it asks, it has lost nothing, and run again it moves the rest")
    func cutShort() throws {
        let device = try ThrowawayDevice.unlocked()
        for name in ["one", "two"] { try add("-s \(name) --require passcode", to: Self.home, on: device) }
        try add("-s plain", to: Self.home, on: device)
        let killing = try ScriptedPinentry(before: "kill -9 $PPID; exit")
        let killed = try device.withoutTerminal("adopt", input: "246810\n", environment: killing.environment)
        // setsid ends with the number of the signal.
        #expect(killed.status == SIGKILL, "\(killed.status) \(killed.output)\(killed.errors)")
        let pinentry = try ScriptedPinentry()
        let rest = try device.withoutTerminal("adopt --json", input: "246810\n", environment: pinentry.environment)
        #expect(rest.status == 0, "\(rest.output)\(rest.errors)")
        #expect(try rest.json()["moved"] as? Int == 2)
        for name in ["one", "two", "plain"] {
            let found = try device.withoutTerminal(
                "find-generic-password -s \(name) -w --access-group org.latchkey.owner",
                environment: pinentry.environment)
            #expect(found.output == "secret\n", "\(name) \(found.errors)")
        }
    }
}
