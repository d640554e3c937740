import Foundation
import Glibc
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeyThreading
import Testing

@Suite("Prompts on a terminal")
struct TerminalPromptTests {
    @Test("a passcode is typed without echo, after who asks and why")
    func passcode() throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(
            TerminalPrompt(path: terminal.path), .asking(.passcode, notice: "Wrong passcode; 9 tries left."))
        let shown = try terminal.read(until: "Passcode: ")
        #expect(shown.contains("*** Wrong passcode; 9 tries left."))
        #expect(shown.contains("It says: \"Read your mail\""))
        #expect(!terminal.echoes)
        terminal.type("12x\u{7F}34 ä\n")
        #expect(pending.wait() == "secret 1234 ä")
        #expect(terminal.echoes)
        #expect(try !terminal.read(until: "\n").contains("12"))
    }

    @Test(
        "every way out puts the terminal back",
        arguments: [("12\u{3}", "cancelled"), ("\u{4}", "cancelled"), ("\n", "secret "), ("x\u{4}\u{4}", "secret x")])
    func ways(_ typed: String, _ answer: String) throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(TerminalPrompt(path: terminal.path), .asking(.passcode))
        _ = try terminal.read(until: "Passcode: ")
        terminal.type(typed)
        #expect(pending.wait() == answer)
        #expect(terminal.echoes)
    }

    @Test("a line that is too long is refused, and nothing of it is left for a shell", arguments: [1024, 1025, 3000])
    func long(_ count: Int) throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(TerminalPrompt(path: terminal.path), .asking(.passcode))
        _ = try terminal.read(until: "Passcode: ")
        let typed = String(repeating: "y", count: count)
        terminal.type(typed + "\n")
        let answer = pending.wait()
        #expect(count <= 1024 ? answer == "secret " + typed : answer.contains("longer than 1024 bytes"))
        #expect(terminal.echoes)
        var source = pollfd(fd: terminal.program, events: Int16(POLLIN), revents: 0)
        #expect(poll(&source, 1, 0) == 0)
    }

    @Test("a question that is taken back, or not answered in time, leaves the terminal as it was")
    func over() throws {
        let terminal = try PseudoTerminal()
        let cancellation = Cancellation(seconds: 60)
        let pending = PendingAnswer(TerminalPrompt(path: terminal.path), .asking(.passcode), until: cancellation)
        _ = try terminal.read(until: "Passcode: ")
        terminal.type("half")
        cancellation.cancel()
        #expect(pending.wait() == "withdrawn")
        #expect(terminal.echoes)
        let late = TerminalPrompt(path: terminal.path).ask(.asking(.finger), until: Cancellation(seconds: 0))
        #expect(late.text == "timedOut")
        #expect(terminal.echoes)
    }

    @Test("text that was typed before the question does not answer it")
    func typedAhead() throws {
        let terminal = try PseudoTerminal()
        terminal.type("early\n")
        // It takes its way through the kernel; it has arrived when it can be read.
        var source = pollfd(fd: terminal.program, events: Int16(POLLIN), revents: 0)
        try #require(poll(&source, 1, 60_000) == 1)
        let pending = PendingAnswer(TerminalPrompt(path: terminal.path), .asking(.passcode))
        _ = try terminal.read(until: "Passcode: ")
        terminal.type("late\n")
        #expect(pending.wait() == "secret late")
    }

    @Test("a new password is typed twice, and again if the two differ")
    func newPassword() throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(
            TerminalPrompt(path: terminal.path), .asking(.applicationPassword(isNew: true)))
        for (first, second, before) in [("a", "b", "new password"), ("c", "c", "The two entries differ.")] {
            #expect(try terminal.read(until: "New password: ").contains(before))
            terminal.type(first + "\n")
            _ = try terminal.read(until: "The same again: ")
            terminal.type(second + "\n")
        }
        #expect(pending.wait() == "secret c")
    }

    @Test(
        "while a finger is awaited, Return is the other way and Ctrl-C is not",
        arguments: [
            (nil, "\n", "fallback"), (nil, "\u{3}", "cancelled"), ("", "\n\n\u{3}", "cancelled"),
            ("Ask me", "\n", "fallback"),
        ] as [(String?, String, String)])
    func finger(_ fallbackTitle: String?, _ typed: String, _ answer: String) throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(
            TerminalPrompt(path: terminal.path), .asking(.finger, fallbackTitle: fallbackTitle))
        let shown = try terminal.read(until: "cancels)")
        #expect(shown.contains("Touch the fingerprint reader."))
        #expect(shown.contains("Return") == (fallbackTitle != ""))
        #expect(shown.contains("\"Ask me\"") == (fallbackTitle == "Ask me"))
        terminal.type(typed)
        #expect(pending.wait() == answer)
    }

    @Test("a terminal that is closed while it asks is a failure")
    func hungUp() throws {
        let (path, pending): (String, PendingAnswer)
        do {
            let terminal = try PseudoTerminal()
            path = terminal.path
            pending = PendingAnswer(TerminalPrompt(path: path), .asking(.passcode))
            _ = try terminal.read(until: "Passcode: ")
        }
        #expect(pending.wait() == "failed: The terminal was closed.")
        #expect(
            TerminalPrompt(path: "/nonexistent").ask(.asking(.finger), until: Cancellation()).text.contains(
                "no terminal"))
    }
}
