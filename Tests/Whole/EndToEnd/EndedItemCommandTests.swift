import Foundation
import LatchkeyDevice
import LatchkeyKeychainMessages
import Testing

@Suite("Items that end, weak passcodes, and a device that locks by itself, on the command line")
struct EndedItemCommandTests {
    @Test("removing the passcode says first what it destroys; afterwards all is well, and the item's end is told")
    func passcode() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s mail -a alice --accessible akpu", input: "secret")
        try device("add-generic-password -s other", input: "secret")
        let refused = try device("passcode remove", input: "246810\n")
        #expect(refused.status == 37)
        #expect(refused.errors.contains("Removing the passcode destroys 1 item for good: 1 of "))
        #expect(try device.lockState() == "unlocked")
        #expect(try device("passcode remove --yes", input: "246810\n").status == 0)

        let status = try device("status --json").json()
        #expect(status["quarantinedRows"] as? Int == 0)
        let ended = try #require((status["endedItems"] as? [[String: Any]])?.first)
        #expect(ended["reason"] as? String == "passcode-removed" && ended["count"] as? Int == 1)
        #expect(try device("status").output.contains("1 with the passcode (last on "))
        let doctor = try device("doctor --json").json()
        let steps = try #require(doctor["steps"] as? [[String: Any]])
        let database = try #require(steps.first { $0["step"] as? String == "database" })
        #expect(database["state"] as? String == "ok")
        #expect((database["found"] as? String)?.contains("ended on purpose: 1 with the passcode") == true)

        let found = try device("find-generic-password -s mail -w")
        #expect(found.status == 44)
        #expect(found.errors.contains("when the device's passcode was removed"))
        let explained = try device("explain --limit 1")
        #expect(explained.output.contains("item-ended") && explained.output.contains("destroyed on purpose on "))
        let listed = try device("item gone --json").json()
        let items = try #require(listed["ended"] as? [[String: Any]])
        #expect(items.map { $0["reason"] as? String } == ["passcode-removed"])
        #expect(items.first?["noticedLater"] as? Bool == false)
        #expect(try device("item gone").output.contains("the passcode was removed"))
        let named = try device("item gone class=genp service=mail account=alice")
        #expect(named.status == 0 && named.output.contains("the device's passcode was removed"))
        #expect(try device("item gone class=genp service=other --json").json()["gone"] as? Bool == false)
        #expect(try device("item gone class=genp service=nothing").status == 44)
    }

    @Test("without anything to destroy no question is asked")
    func nothingToDestroy() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s other", input: "secret")
        #expect(try device("passcode remove", input: "246810\n").status == 0)
        #expect(try device("item gone").output == "No item ended on this device.\n")
        #expect(try !device("status").output.contains("Ended"))
    }

    @Test("a weak passcode has to be meant, and status and doctor say what it is worth")
    func weakPasscode() throws {
        let device = try ThrowawayDevice()
        try device("start")
        let refused = try device("passcode set", input: "1234\n")
        #expect(refused.status == 27)
        #expect(refused.errors.contains("Trying every passcode of 4 digits takes"))
        #expect(!refused.errors.contains("1234"))
        #expect(try device.lockState() == "noPasscode")
        let set = try device("passcode set --accept-weak", input: "1234\n")
        #expect(set.status == 0 && set.output.contains("Trying every passcode of 4 digits takes"))
        let status = try device("status --json").json()
        #expect(status["passcodeStrength"] as? String == "tenThousand")
        #expect((status["secondsPerTry"] as? Double ?? 0) > 0)
        #expect(try device("status").output.contains("trying every one of its form takes at most"))
        #expect(try device("doctor").output.contains("do: latchkey passcode change"))
        #expect(try device("passcode change", input: "1234\n4321\n").status == 27)
        #expect(try device("passcode change", input: "1234\n246810\n").status == 0)
        #expect(try device("status --json").json()["passcodeStrength"] as? String == "million")
        #expect(try !device("doctor").output.contains("do: latchkey passcode change"))
    }

    @Test("on a terminal a weak passcode is asked about")
    func weakOnTerminal() throws {
        let device = try ThrowawayDevice()
        try device("start")
        for (answer, status, state) in [("no\n", Int32(37), "noPasscode"), ("yes\n", 0, "unlocked")] {
            let terminal = try ControllingTerminal("passcode set", on: device)
            try terminal.read(until: "New passcode: ")
            terminal.type("1234\n")
            try terminal.read(until: "again: ")
            terminal.type("1234\n")
            try terminal.read(until: "Type yes")
            terminal.type(answer)
            #expect(try terminal.end().status == status)
            #expect(try device.lockState() == state)
        }
    }

    @Test("the time until a device locks by itself is a setting that outlives both of its processes")
    func lockAfter() throws {
        let device = try ThrowawayDevice.unlocked()
        for wrong in ["0", "1441", "1.5", "soon"] {
            #expect(try device("configure --lock-after \(wrong)", input: "246810\n").status == 64)
        }
        #expect(try device("configure --lock-after 10", input: "000000\n").status == 20)
        #expect(try device("configure --lock-after 10", input: "246810\n").status == 0)
        #expect(try device("status").output.contains("locks by itself after 10 minutes without use"))
        try device.kill("latchkeyd")
        #expect(try device("start").status == 0)
        #expect(try device.lockState() == "unlocked", "the enclave keeps the time, and goes on")
        try device.kill("latchkey-enclave")
        try device.kill("latchkeyd")
        #expect(try device("start").status == 0)
        let status = try device("status --json").json()
        #expect(status["lockAfterSeconds"] as? Double == 600)
        #expect(status["lockState"] as? String == "beforeFirstUnlock")
        #expect(try device("configure --lock-after never", input: "246810\n").status == 0)
        #expect(try device("status --json").json()["lockAfterSeconds"] is NSNull)
    }

    @Test("who follows the device hears of another program's lock, and of the end of the daemon")
    func events() throws {
        let device = try ThrowawayDevice.unlocked()
        let keychain = RemoteKeychain(socketPath: device.directory + "/run/keychain.sock")
        let watch = keychain.watchProtectedData()
        #expect(watch.next() == .available)
        try device("lock --now")
        #expect(watch.next() == .unavailable)
        try device("unlock", input: "246810\n")
        #expect(watch.next() == .available)
        try device.kill("latchkeyd")
        #expect(watch.next() == nil)
        #expect(watch.next() == nil)
    }

    @Test("a watch hears that the enclave was killed: nothing is open until the next unlock")
    func enclaveKilled() throws {
        let device = try ThrowawayDevice.unlocked()
        let watch = RemoteKeychain(socketPath: device.directory + "/run/keychain.sock").watchProtectedData()
        #expect(watch.next() == .available)
        try device.kill("latchkey-enclave")
        var state = watch.next()
        if state == .unavailable { state = watch.next() }
        #expect(state == .beforeFirstUnlock)
    }
}
