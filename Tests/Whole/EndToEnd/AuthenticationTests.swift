import Foundation
import Glibc
import Testing

@Suite("Items that ask for a person, with real processes and a terminal")
struct AuthenticationTests {
    private static let find = "find-generic-password -s bank -w"

    /// A device with the item `bank`, whose secret is `money`.
    private func device(requiring conditions: String) throws -> ThrowawayDevice {
        let device = try ThrowawayDevice.unlocked()
        let added = try device.withoutTerminal("add-generic-password -s bank \(conditions)", input: "money")
        try #require(added.status == 0, "\(added.errors)")
        return device
    }

    @Test("the passcode is asked for on the terminal, with who asks and why, and opens the item")
    func passcode() throws {
        let device = try device(requiring: "--require passcode")
        let terminal = try ControllingTerminal(Self.find + " --prompt Look", on: device)
        let shown = try terminal.read(until: "Passcode: ")
        // A long path is broken into lines, each indented.
        let unbroken = shown.replacing("\r\n    ", with: "").replacing("\n    ", with: "")
        #expect(unbroken.contains("latchkey\""))
        #expect(shown.contains("unsigned program"))
        #expect(shown.contains("It says: \"Look\""))
        terminal.type("246810\n")
        let ending = try terminal.end()
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.output == "money\n")
        #expect(!(shown + ending.errors).contains("246810"))
        #expect(ending.errors.contains("It echoes."))
    }

    @Test("three wrong passcodes fail the call, and each is said to be wrong")
    func wrongPasscodes() throws {
        let device = try device(requiring: "--require passcode")
        let terminal = try ControllingTerminal(Self.find, on: device)
        for (passcode, before) in [("111111", "passcode of this device"), ("222222", "***"), ("333333", "***")] {
            #expect(try terminal.read(until: "Passcode: ").contains(before))
            terminal.type(passcode + "\n")
        }
        let ending = try terminal.end()
        #expect(ending.status == 51, "\(ending.errors)")
        #expect(ending.output.isEmpty)
        #expect(ending.errors.contains("-25293"))
        #expect(try device("status --json").json()["failedAttempts"] as? Int == 3)
    }

    @Test("Ctrl-C at the prompt refuses")
    func cancelled() throws {
        let device = try device(requiring: "--require passcode")
        let terminal = try ControllingTerminal(Self.find, on: device)
        try terminal.read(until: "Passcode: ")
        terminal.type("2468\u{3}")
        let ending = try terminal.end()
        #expect(ending.status == 128, "\(ending.errors)")
        #expect(ending.errors.contains("-128"))
        #expect(ending.errors.contains("It echoes."))
    }

    @Test(
        "pinentry-tty asks on the same terminal where it is named, and Ctrl-C refuses there, too",
        arguments: [("246810\n", 0), ("24\u{3}", 128)] as [(String, Int32)])
    func realPinentry(_ typed: String, _ status: Int32) throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: "/usr/bin/pinentry-tty"),
            "install the Debian package pinentry-tty")
        let device = try device(requiring: "--require passcode")
        let terminal = try ControllingTerminal(
            Self.find, on: device, environment: ["LATCHKEY_PINENTRY": "pinentry-tty"])
        try terminal.read(until: "Passcode: ")
        terminal.type(typed)
        let ending = try terminal.end()
        #expect(ending.status == status, "\(ending.errors)")
        #expect(ending.errors.contains("It echoes."))
    }

    @Test("a program ended at the prompt leaves the terminal with its echo", arguments: [SIGTERM, SIGHUP])
    func ended(_ signal: Int32) throws {
        let device = try device(requiring: "--require passcode")
        let terminal = try ControllingTerminal(Self.find, on: device)
        try terminal.read(until: "Passcode: ")
        try terminal.send(signal)
        let ending = try terminal.end()
        #expect(ending.status == 128 + signal)
        #expect(ending.errors.contains("It echoes."))
    }

    @Test("without a terminal and without an agent the item stays closed, and the message says what to do")
    func nobodyThere() throws {
        let device = try device(requiring: "--require user-presence")
        let ending = try device.withoutTerminal(Self.find)
        #expect(ending.status == 36, "\(ending.errors)")
        #expect(ending.errors.contains("-25308"))
        #expect(ending.errors.contains("latchkey agent"))
        #expect(try device("explain").output.contains("no-authentication-agent"))
    }

    @Test("--no-prompt shows no prompt, also where there is a terminal")
    func noPrompt() throws {
        let device = try device(requiring: "--require passcode")
        let ending = try ControllingTerminal(Self.find + " --no-prompt", on: device).end()
        #expect(ending.status == 36, "\(ending.errors)")
        #expect(!ending.errors.contains("Passcode"))
        #expect(try device("explain").output.contains("interaction-not-allowed"))
    }

    @Test("an item with a password of its own: typed twice when it is made, asked for when it is opened")
    func applicationPassword() throws {
        let device = try ThrowawayDevice.unlocked()
        let adding = try ControllingTerminal(
            "add-generic-password -s bank --require application-password", on: device, secret: "money")
        try adding.read(until: "New password: ")
        adding.type("own\n")
        try adding.read(until: "The same again: ")
        adding.type("own\n")
        let added = try adding.end()
        #expect(added.status == 0, "\(added.errors)")
        for (password, status) in [("own", 0), ("other", 51)] as [(String, Int32)] {
            let terminal = try ControllingTerminal(Self.find, on: device)
            try terminal.read(until: "Password: ")
            terminal.type(password + "\n")
            // A wrong one is asked for again, three times in all.
            for _ in 0..<(status == 0 ? 0 : 2) {
                try terminal.read(until: "Password: ")
                terminal.type(password + "\n")
            }
            let ending = try terminal.end()
            #expect(ending.status == status, "\(ending.errors)")
            #expect(ending.output == (status == 0 ? "money\n" : ""))
        }
    }

    @Test("conditions that do not go together are refused before anything is asked")
    func impossible() throws {
        let device = try ThrowawayDevice.unlocked()
        for options in [
            "--require user-presence --require passcode", "--require biometry-any --require biometry-current-set",
            "--any", "--require fingers",
        ] {
            #expect(try device.withoutTerminal("add-generic-password -s x \(options)", input: "x").status == 64)
        }
    }

    @Test("an agent asks for programs that have no terminal, until Ctrl-C ends it")
    func agent() throws {
        let device = try device(requiring: "--require passcode")
        let agent = try ControllingTerminal("agent", on: device)
        try agent.read(until: "serving the prompts")
        let asking = Asking { try device.withoutTerminal(Self.find) }
        try agent.read(until: "Passcode: ")
        agent.type("246810\n")
        #expect(try asking.ending().output == "money\n")
        // At a prompt Ctrl-C refuses, and the agent goes on.
        let refused = Asking { try device.withoutTerminal(Self.find) }
        try agent.read(until: "Passcode: ")
        agent.type("\u{3}")
        #expect(try refused.ending().status == 128)
        agent.type("\u{3}")
        #expect(try agent.end().status == 0)
    }

    @Test("an agent that ends, or is killed, at its prompt leaves no program waiting", arguments: [SIGTERM, SIGKILL])
    func endedAgent(_ signal: Int32) throws {
        let device = try device(requiring: "--require passcode")
        let agent = try ControllingTerminal("agent", on: device)
        try agent.read(until: "serving the prompts")
        let asking = Asking { try device.withoutTerminal(Self.find) }
        try agent.read(until: "Passcode: ")
        try agent.send(signal)
        let ending = try asking.ending()
        #expect(ending.status == 51, "\(ending.errors)")
        _ = try agent.end()
    }

    @Test("a pinentry that the environment names is used, and no prompt can be shown in the background")
    func pinentry() throws {
        let device = try device(requiring: "--require passcode")
        let pinentry = try ScriptedPinentry()
        #expect(try device.withoutTerminal(Self.find, environment: pinentry.environment).output == "money\n")
        #expect(try device.withoutTerminal("agent").status == 43)
    }

    @Test("a device without a daemon asks in the process itself")
    func embedded() throws {
        let device = try device(requiring: "--require passcode --accessible always")
        #expect(try device("stop").status == 0)
        let terminal = try ControllingTerminal(Self.find, on: device)
        try terminal.read(until: "Passcode: ")
        terminal.type("246810\n")
        let ending = try terminal.end()
        #expect(ending.output == "money\n", "\(ending.errors)")
        #expect(try device.withoutTerminal(Self.find).status == 36)
    }

    @Test("looking at everything asks for nothing, leaves such items out and says how many and how to see them")
    func everything() throws {
        let device = try device(requiring: "--require passcode")
        #expect(try device("dump-keychain --json").json()["guardedItems"] as? Int == 1, "nothing else is there")
        try device("add-generic-password -s open", input: "x")
        let ending = try ControllingTerminal("dump-keychain -d", on: device).end()
        #expect(ending.status == 0)
        #expect(ending.output.contains("open"))
        #expect(!ending.output.contains("bank"))
        #expect(ending.output.contains("One item that asks for a person is not shown. `latchkey item find class=CLASS"))
        try device("add-internet-password -s guarded.example -a a --require passcode", input: "x")
        let several = try device("dump-keychain")
        #expect(several.output.contains("2 items that ask for a person are not shown."))
        #expect(!several.output.contains("guarded.example"))
        #expect(try device("dump-keychain --json").json()["guardedItems"] as? Int == 2)
        #expect(try device("dump-keychain --access-group *", input: "246810\n").output.contains("2 items that ask"))
        try device("delete-generic-password -s bank --all")
        try device("delete-internet-password -s guarded.example --all")
        #expect(try !device("dump-keychain").output.contains("ask"))
        #expect(try device("dump-keychain --json").json()["guardedItems"] as? Int == 0)
    }
}

/// A call that waits for a person, on a thread of its own.
final class Asking: @unchecked Sendable {
    // Sendable because the result is written before the group is left and read after the wait for it.
    private let group = DispatchGroup()
    private var result: Result<Ending, any Error>?

    init(_ call: @escaping @Sendable () throws -> Ending) {
        group.enter()
        Thread.detachNewThread { [self] in
            result = Result { try call() }
            group.leave()
        }
    }

    func ending() throws -> Ending {
        group.wait()
        return try #require(try result?.get())
    }
}
