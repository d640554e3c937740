import Foundation
import Glibc
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeyThreading
import Testing

@Suite("A pinentry of a few lines of shell")
struct PinentryTests {
    @Test(
        "what a person answers",
        arguments: [
            ("echo 'D 1234'; echo OK", "secret 1234"), ("echo 'D 12%2534'; echo OK", "secret 12%34"),
            ("echo OK", "secret "),
            ("echo '# x'; echo 'S ERROR a b'; echo 'D 12'; echo 'D 34'; echo OK", "secret 1234"),
            ("printf 'D 1234\\r\\nOK\\r\\n'", "secret 1234"), ("echo 'ERR 83886179 cancelled'", "cancelled"),
            ("echo 'ERR 83886278 fully cancelled'", "cancelled"), ("echo 'ERR 83886142 timeout'", "timedOut"),
        ])
    func passcode(_ script: String, _ answer: String) throws {
        let pinentry = try ScriptedPinentry(asked: script)
        #expect(pinentry.ask(.asking(.passcode)) == answer)
        #expect(try !pinentry.isThere())
    }

    @Test(
        "an invalid answer is a failure that names the program and what it did",
        arguments: [
            ("echo 'D %zz'; echo OK", "percent sign"), ("echo 'D 1%'; echo OK", "percent sign"),
            ("head -c 1048576 /dev/zero | tr '\\0' x", "more than 1000 bytes"),
            ("printf 'D '; head -c 1048576 /dev/zero | tr '\\0' x; echo; echo OK", "more than 1000 bytes"),
            ("while :; do echo 'D xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; done", "more than 1024 bytes"),
            ("while :; do echo 'S BUSY'; done", "lines without end"), ("yes '#'", "lines without end"),
            ("exit 0", "ended before"), ("kill -9 $$", "ended before"), ("printf 'D 12'; exit 0", "ended before"),
            ("echo 'INQUIRE X'", "protocol does not have"), ("echo 'ERR 83886340 broken'", "its error 260"),
        ])
    func broken(_ script: String, _ reason: String) throws {
        let pinentry = try ScriptedPinentry(asked: script)
        let answer = pinentry.ask(.asking(.passcode))
        #expect(answer.hasPrefix("failed: "))
        #expect(answer.contains(reason))
        #expect(try !pinentry.isThere())
    }

    @Test("a passcode of 1 MiB in lines of the right length is refused, one of 1024 bytes is taken")
    func longPasscodes() throws {
        let line = "D " + String(repeating: "x", count: 512)
        let right = try ScriptedPinentry(asked: "echo '\(line)'; echo '\(line)'; echo OK")
        #expect(right.ask(.asking(.passcode)) == "secret " + String(repeating: "x", count: 1024))
        let long = try ScriptedPinentry(asked: "for i in {1..2048}; do echo '\(line)'; done; echo OK")
        #expect(long.ask(.asking(.passcode)).contains("more than 1024 bytes"))
    }

    @Test("one that never answers is ended at the deadline", arguments: ["exec sleep 600", "trap '' ALRM; read -r x"])
    func deadline(_ script: String) throws {
        let pinentry = try ScriptedPinentry(asked: script)
        // Enough for a shell to start on a busy machine would be too long for a test: the end may come at any point.
        #expect(pinentry.ask(.asking(.passcode), until: Cancellation(seconds: 2)) == "timedOut")
        #expect(try !pinentry.isThere())
    }

    @Test("a question that is over is not asked")
    func over() throws {
        let pinentry = try ScriptedPinentry(asked: "echo OK")
        let cancelled = Cancellation()
        cancelled.cancel()
        #expect(pinentry.ask(.asking(.passcode), until: cancelled) == "withdrawn")
        #expect(pinentry.ask(.asking(.passcode), until: Cancellation(seconds: 0)) == "timedOut")
        #expect(!FileManager.default.fileExists(atPath: pinentry.directory + "/process"))
    }

    @Test("a question that is taken back disappears, with its process")
    func withdrawn() throws {
        let pinentry = try ScriptedPinentry(asked: "echo > asked; exec sleep 600")
        let cancellation = Cancellation(seconds: 60)
        let pending = PendingAnswer(pinentry.prompt, .asking(.finger), until: cancellation)
        pinentry.waitUntilAsked()
        cancellation.cancel()
        #expect(pending.wait() == "withdrawn")
        #expect(try !pinentry.isThere())
    }

    @Test("one that is killed while it asks is a failure")
    func killed() throws {
        let pinentry = try ScriptedPinentry(asked: "echo > asked; exec sleep 600")
        let pending = PendingAnswer(pinentry.prompt, .asking(.passcode))
        pinentry.waitUntilAsked()
        kill(try #require(Int32(try pinentry.file("process").trimmingCharacters(in: .newlines))), SIGKILL)
        #expect(pending.wait().contains("ended before there was an answer"))
    }

    @Test(
        "a program that is missing, and a file that is not a program",
        arguments: ["/nonexistent/pinentry", "/etc/passwd"])
    func missing(_ path: String) {
        let answer = PinentryPrompt(program: path).ask(.asking(.passcode), until: Cancellation(seconds: 60)).text
        #expect(answer.hasPrefix("failed: \(path) cannot be started"))
    }

    @Test("it is told who asks and why, what went wrong, and how long there is")
    func said() throws {
        let pinentry = try ScriptedPinentry(asked: "echo OK")
        _ = pinentry.ask(
            .asking(.passcode, team: "Example (ABCDE12345)", reason: "100 %\nsure", notice: "Wrong passcode."),
            until: Cancellation(seconds: 60))
        let said = try pinentry.said()
        #expect(said.contains("SETTIMEOUT 60"))
        #expect(said.contains("SETERROR Wrong passcode."))
        let description = try #require(said.first { $0.hasPrefix("SETDESC ") })
        #expect(description.contains("%0AIt says: \"100 %25 sure\""))
        #expect(description.contains("signed by \"Example (ABCDE12345)\""))
        #expect(!said.contains { $0.hasPrefix("SETREPEAT") })
    }

    @Test(
        "a finger is awaited with buttons for the other way and for none",
        arguments: [
            ("echo OK", nil, "fallback"), ("echo OK", "", "cancelled"),
            ("echo 'ERR 83886194 not confirmed'", nil, "cancelled"),
            ("echo 'ERR 83886179 cancelled'", nil, "cancelled"),
        ] as [(String, String?, String)])
    func finger(_ script: String, _ fallbackTitle: String?, _ answer: String) throws {
        let pinentry = try ScriptedPinentry(asked: script)
        #expect(pinentry.ask(.asking(.finger, fallbackTitle: fallbackTitle)) == answer)
        let said = try pinentry.said()
        #expect(said.contains("SETCANCEL Cancel"))
        #expect(said.contains("SETOK Use passcode") == (fallbackTitle == nil))
        #expect(said.last == (fallbackTitle == nil ? "CONFIRM" : "CONFIRM --one-button"))
    }

    @Test("a new password is asked for twice by the pinentry")
    func repeated() throws {
        let pinentry = try ScriptedPinentry(asked: "echo 'S PIN_REPEATED'; echo 'D new'; echo OK")
        #expect(pinentry.ask(.asking(.applicationPassword(isNew: true))) == "secret new")
        #expect(try pinentry.said().filter { $0 == "GETPIN" }.count == 1)
        #expect(try pinentry.said().contains("SETREPEAT The same again:"))
    }

    @Test("a pinentry that cannot ask twice is asked twice, until the two are the same")
    func notRepeated() throws {
        let answers = "n=$((n+1)); case $n in 1) echo 'D a';; *) echo 'D b';; esac; echo OK"
        let pinentry = try ScriptedPinentry(asked: answers)
        #expect(pinentry.ask(.asking(.applicationPassword(isNew: true))) == "secret b")
        #expect(try pinentry.said().filter { $0 == "GETPIN" }.count == 4)
        #expect(try pinentry.said().contains("SETERROR The two entries differ."))
        let never = try ScriptedPinentry(asked: "n=$((n+1)); echo \"D $n\"; echo OK")
        #expect(never.ask(.asking(.applicationPassword(isNew: true))).contains("differed 3 times"))
    }

    @Test("one that knows nothing but the question is enough")
    func oldPinentry() throws {
        let pinentry = try ScriptedPinentry(asked: "echo 'D 1'; echo OK", other: "echo 'ERR 83886355 unknown command'")
        #expect(pinentry.ask(.asking(.passcode)) == "secret 1")
    }

    @Test("it inherits no descriptor but its three, and none stays behind here")
    func descriptors() throws {
        let pinentry = try ScriptedPinentry(asked: "echo OK")
        let before = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
        for _ in 0..<60 { #expect(pinentry.ask(.asking(.passcode)) == "secret ") }
        // Other tests run at the same time, with a few descriptors each; 60 questions would leave 60 at least.
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count < before + 60)
        // 255 is the script itself; ls has one for the directory.
        let inherited = try pinentry.file("descriptors").split(separator: "\n").compactMap { Int($0) }
        #expect(Set(inherited).isSubset(of: [0, 1, 2, 255]))
    }
}
