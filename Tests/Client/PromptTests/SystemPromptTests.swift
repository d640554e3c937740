import Foundation
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeyThreading
import Testing

@Suite("Which way to ask")
struct SystemPromptTests {
    private static let nowhere = TerminalPrompt(path: "/nonexistent")

    @Test("a pinentry for a desktop, else the terminal, else a pinentry on the terminal that the environment names")
    func order() throws {
        let pinentry = try ScriptedPinentry(asked: "echo OK")
        let terminal = try PseudoTerminal()
        let here = TerminalPrompt(path: terminal.path)
        let path = ["PATH": pinentry.directory]
        func kinds(_ more: [String: String], _ terminal: TerminalPrompt, isSetgid: Bool = false) -> [String] {
            PromptChoice(environment: path.merging(more) { $1 }, terminal: terminal, isSetgid: isSetgid).ports
                .map { $0 is PinentryPrompt ? "pinentry" : "terminal" }
        }
        #expect(kinds(["DISPLAY": ":0"], here) == ["pinentry", "terminal"])
        #expect(kinds(["WAYLAND_DISPLAY": "w"], Self.nowhere) == ["pinentry"])
        #expect(kinds(["DISPLAY": ""], here) == ["terminal"])
        #expect(kinds(["DISPLAY": ":0", "PATH": "/nonexistent"], here) == ["terminal"])
        #expect(kinds(["GPG_TTY": terminal.path], Self.nowhere) == ["pinentry"])
        #expect(kinds(["LATCHKEY_PINENTRY": pinentry.program], here) == ["pinentry"])
        #expect(kinds(["LATCHKEY_PINENTRY": "/nonexistent"], here) == ["terminal"])
        #expect(kinds([:], Self.nowhere) == [])
        #expect(kinds(["LATCHKEY_PINENTRY": pinentry.program, "DISPLAY": ":0"], here, isSetgid: true) == ["terminal"])
    }

    @Test("a pinentry that breaks leaves the question to the terminal")
    func second() throws {
        let pinentry = try ScriptedPinentry(asked: "exit 1")
        let terminal = try PseudoTerminal()
        let system = SystemPrompt(
            PromptChoice(
                environment: ["PATH": pinentry.directory + ":/usr/bin:/bin", "DISPLAY": ":0"],
                terminal: TerminalPrompt(path: terminal.path), isSetgid: false))
        let pending = PendingAnswer(system, .asking(.passcode))
        _ = try terminal.read(until: "Passcode: ")
        terminal.type("1234\n")
        #expect(pending.wait() == "secret 1234")
    }

    @Test("an interrupted prompt is a cancelled one, and the terminal is back before the interruption returns")
    func interrupted() throws {
        let terminal = try PseudoTerminal()
        let system = SystemPrompt(
            PromptChoice(environment: [:], terminal: TerminalPrompt(path: terminal.path), isSetgid: false))
        #expect(!system.interrupt())
        let pending = PendingAnswer(system, .asking(.passcode))
        _ = try terminal.read(until: "Passcode: ")
        #expect(system.interrupt())
        #expect(terminal.echoes)
        #expect(pending.wait() == "cancelled")
        #expect(!system.interrupt())
    }

    @Test("the Ctrl-C that a pinentry on the same terminal took for a refusal does not count as a second one")
    func sameKeystroke() throws {
        let pinentry = try ScriptedPinentry(asked: "echo 'ERR 83886179 cancelled'")
        let program = pinentry.directory + "/run"
        // A file that this process wrote cannot always be run while other threads start programs; a link always can.
        try FileManager.default.createSymbolicLink(atPath: program, withDestinationPath: "/bin/bash")
        let system = SystemPrompt(
            PromptChoice(
                environment: [
                    "PATH": "/usr/bin:/bin", "LATCHKEY_PINENTRY": program, "BASH_ENV": pinentry.program,
                    "WAYLAND_DISPLAY": "wayland-0",
                ], terminal: Self.nowhere, isSetgid: false))
        #expect(system.ask(.asking(.passcode), until: Cancellation(seconds: 60)).text == "cancelled")
        #expect(system.interrupt())
        #expect(!system.interrupt())
    }

    @Test("one that is closed has put the terminal back when that returns, and asks nothing any more")
    func closed() throws {
        let terminal = try PseudoTerminal()
        let system = SystemPrompt(
            PromptChoice(environment: [:], terminal: TerminalPrompt(path: terminal.path), isSetgid: false))
        let pending = PendingAnswer(system, .asking(.finger))
        _ = try terminal.read(until: "cancels)")
        #expect(!terminal.echoes)
        system.close()
        #expect(terminal.echoes)
        #expect(pending.wait() == "withdrawn")
        #expect(system.ask(.asking(.passcode), until: Cancellation(seconds: 60)).text == "withdrawn")
    }

    @Test("without any way the answer says so, and a question taken back stays one")
    func none() throws {
        let system = SystemPrompt(PromptChoice(environment: [:], terminal: Self.nowhere, isSetgid: false))
        #expect(system.ask(.asking(.passcode), until: Cancellation()).text.hasPrefix("failed: There is no way"))
        let terminal = try PseudoTerminal()
        let other = SystemPrompt(
            PromptChoice(environment: [:], terminal: TerminalPrompt(path: terminal.path), isSetgid: false))
        let cancellation = Cancellation()
        let pending = PendingAnswer(other, .asking(.passcode), until: cancellation)
        _ = try terminal.read(until: "Passcode: ")
        cancellation.cancel()
        #expect(pending.wait() == "withdrawn")
    }
}
