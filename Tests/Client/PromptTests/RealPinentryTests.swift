import Foundation
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeyThreading
import Testing

@Suite("pinentry-tty on a pseudo-terminal")
struct RealPinentryTests {
    private func pinentry(on terminal: PseudoTerminal?) throws -> PinentryPrompt {
        let program = "/usr/bin/pinentry-tty"
        try #require(
            FileManager.default.isExecutableFile(atPath: program), "install the Debian package pinentry-tty")
        return PinentryPrompt(program: program, environment: ["TERM": "dumb"], terminal: terminal?.path)
    }

    @Test("a passcode is typed without echo, and the person sees who asks")
    func passcode() throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(try pinentry(on: terminal), .asking(.passcode, notice: "Wrong passcode."))
        let shown = try terminal.read(until: "Passcode: ")
        #expect(!terminal.echoes)
        #expect(shown.contains("Wrong passcode."))
        #expect(shown.contains("Program: \"/usr/bin/mail\""))
        #expect(shown.contains("unsigned program"))
        #expect(shown.contains("It says: \"Read your mail\""))
        terminal.type("12%34 ä\n")
        #expect(pending.wait() == "secret 12%34 ä")
        #expect(terminal.echoes)
    }

    @Test("a new password is typed twice")
    func newPassword() throws {
        let terminal = try PseudoTerminal()
        let pending = PendingAnswer(try pinentry(on: terminal), .asking(.applicationPassword(isNew: true)))
        _ = try terminal.read(until: "New password: ")
        terminal.type("one\n")
        _ = try terminal.read(until: "The same again: ")
        terminal.type("one\n")
        #expect(pending.wait() == "secret one")
    }

    @Test("a prompt for a finger offers the passcode or nothing, and is taken away when the finger matched")
    func finger() throws {
        let terminal = try PseudoTerminal()
        let chosen = PendingAnswer(try pinentry(on: terminal), .asking(.finger))
        _ = try terminal.read(until: "[uc]? ")
        terminal.type("u")
        #expect(chosen.wait() == "fallback")
        let refused = PendingAnswer(try pinentry(on: terminal), .asking(.finger))
        _ = try terminal.read(until: "[uc]? ")
        terminal.type("c")
        #expect(refused.wait() == "cancelled")
        let cancellation = Cancellation(seconds: 60)
        let matched = PendingAnswer(try pinentry(on: terminal), .asking(.finger), until: cancellation)
        _ = try terminal.read(until: "[uc]? ")
        cancellation.cancel()
        #expect(matched.wait() == "withdrawn")
        #expect(terminal.echoes)
    }

    @Test("without a terminal it says that the person cancelled, which is not believed")
    func noTerminal() throws {
        let answer = try pinentry(on: nil).ask(.asking(.passcode), until: Cancellation(seconds: 60)).text
        #expect(answer.hasPrefix("failed: The pinentry needs a terminal"))
    }
}
