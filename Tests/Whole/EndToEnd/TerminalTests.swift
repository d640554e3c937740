import Foundation
import Glibc
import Testing

@Suite("Prompts on a terminal")
struct TerminalTests {
    /// A pair of connected terminal ends: what the person sees and types, and what the program has.
    private final class Terminal {
        let person: Int32
        let program: Int32

        init() throws {
            // The Glibc module has no posix_openpt; these are the two requests it makes (TIOCSPTLCK, TIOCGPTN).
            person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
            var isLocked: Int32 = 0
            var number: UInt32 = 0
            try #require(person >= 0)
            try #require(ioctl(person, 0x4004_5431, &isLocked) == 0)
            try #require(ioctl(person, 0x8004_5430, &number) == 0)
            program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
            try #require(program >= 0)
        }

        deinit {
            close(person)
            close(program)
        }

        /// Returns the text that the person sees, up to and with `text`.
        func read(until text: String) throws -> String {
            var seen = ""
            while !seen.contains(text) {
                var byte: UInt8 = 0
                try #require(Glibc.read(person, &byte, 1) == 1)
                seen.append(Character(UnicodeScalar(byte)))
            }
            return seen
        }

        func type(_ text: String) {
            _ = text.withCString { write(person, $0, strlen($0)) }
        }

        var echoes: Bool {
            var settings = termios()
            return tcgetattr(program, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
        }
    }

    private func start(_ arguments: [String], on terminal: Terminal) throws -> (process: Process, output: Pipe) {
        let process = Process()
        process.executableURL = try Installation.program("latchkey")
        process.arguments = arguments
        let output = Pipe()
        process.standardInput = FileHandle(fileDescriptor: terminal.program, closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: terminal.program, closeOnDealloc: false)
        process.standardOutput = output
        try process.run()
        return (process, output)
    }

    @Test("a secret typed at the prompt is stored and never echoed, and the echo comes back")
    func noEcho() throws {
        let device = try ThrowawayDevice.unlocked()
        let terminal = try Terminal()
        #expect(terminal.echoes)
        let (process, output) = try start(
            ["add-generic-password", "-s", "typed", "-w", "--device", device.directory], on: terminal)
        _ = try terminal.read(until: "Secret: ")
        #expect(!terminal.echoes)
        terminal.type("typed-s3cret\n")
        let shown = try terminal.read(until: "Secret again: ")
        #expect(!terminal.echoes)
        terminal.type("typed-s3cret\n")
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(!shown.contains("s3cret"))
        #expect(terminal.echoes)
        #expect(try device("find-generic-password -s typed -w").output == "typed-s3cret\n")
    }

    @Test("a new passcode is asked for twice, and the two must be the same")
    func twice() throws {
        let device = try ThrowawayDevice()
        try #require(try device("start").status == 0)
        let terminal = try Terminal()
        let (process, output) = try start(["passcode", "set", "--device", device.directory], on: terminal)
        _ = try terminal.read(until: "New passcode: ")
        terminal.type("123456\n")
        _ = try terminal.read(until: "again: ")
        terminal.type("123457\n")
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        #expect(process.terminationStatus == 31)
        #expect(try device.lockState() == "noPasscode")
    }

    @Test("a new secret is asked for twice, and the two must be the same; an empty one is refused")
    func secretTwice() throws {
        let device = try ThrowawayDevice.unlocked()
        for (first, second) in [("one", "two"), ("", nil)] {
            let terminal = try Terminal()
            let (process, output) = try start(
                ["add-generic-password", "-s", "typed", "-w", "--device", device.directory], on: terminal)
            _ = try terminal.read(until: "Secret: ")
            terminal.type(first + "\n")
            if let second {
                _ = try terminal.read(until: "Secret again: ")
                terminal.type(second + "\n")
            }
            _ = try output.fileHandleForReading.readToEnd()
            process.waitUntilExit()
            #expect(process.terminationStatus == 31)
        }
        #expect(try device("find-generic-password -s typed").status == 44)
    }

    /// Runs a command, separated by blanks, whose output and errors are a terminal.
    private func ending(
        _ line: String, on device: ThrowawayDevice, until shown: String
    ) throws -> (status: Int32, seen: String) {
        let terminal = try Terminal()
        let process = Process()
        process.executableURL = try Installation.program("latchkey")
        process.arguments = line.split(separator: " ").map(String.init) + ["--device", device.directory]
        for place in [\Process.standardOutput, \Process.standardError] {
            process[keyPath: place] = FileHandle(fileDescriptor: terminal.program, closeOnDealloc: false)
        }
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let seen = try terminal.read(until: shown)
        process.waitUntilExit()
        return (process.terminationStatus, seen)
    }

    @Test("the prompt of the owner names the groups in words")
    func groupsInPrompt() throws {
        let device = try ThrowawayDevice.unlocked()
        for (group, words) in [("*", "the groups of all programs"), ("TEAM.mail", "TEAM.mail")] {
            let terminal = try ControllingTerminal("dump-keychain --access-group \(group)", on: device)
            try terminal.read(until: "Device passcode (to act in \(words)): ")
            terminal.type("246810\n")
            #expect(try terminal.end().status == 0)
        }
    }

    @Test("a secret with marks of direction or a lone carriage return stays off a terminal; a pipe gets every byte")
    func hiddenInSecrets() throws {
        let device = try ThrowawayDevice.unlocked()
        for secret in ["s3cret\u{202E}x", "s3cret\rx", "s3cret\u{2028}x"] {
            #expect(try device("add-generic-password -s s -U", input: secret).status == 0)
            for form in ["-w", "--raw", "-o -"] {
                let line = "find-generic-password -s s \(form)"
                let (ended, seen) = try ending(line, on: device, until: "byte for byte.")
                #expect(ended == 35, "\(form)")
                #expect(!seen.contains("s3cret"))
                let piped = try device(line)
                #expect(piped.output.hasPrefix(secret), "\(piped.errors)")
            }
        }
    }

    @Test("a terminal gets no control characters of a secret: what is not text goes there in hexadecimal, if asked for")
    func binaryToTerminal() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s bin -X", input: "1b5d32")
        try device("add-generic-password -s lines", input: "a\nb")
        for (line, status, shown) in [
            ("-s bin -w", 35, "not plain text"), ("-s bin --raw", 35, "--hex"), ("-s bin --hex", 0, "1b5d32"),
            ("-s lines -w", 0, "a\r\nb\r\n"), ("-s lines -g", 0, "a\\nb"),
        ] as [(String, Int32, String)] {
            let (ended, seen) = try ending("find-generic-password " + line, on: device, until: shown)
            #expect(ended == status, "\(line)")
            #expect(!seen.contains("\u{1b}"))
        }
    }

    @Test("a terminal gets no hidden characters of an export, also if it is meant: 35, and nothing of it is written")
    func hiddenToTerminal() throws {
        let device = try ThrowawayDevice.unlocked()
        // Secrets with the control characters of ASCII are in hexadecimal digits.
        for (account, label, secret) in [
            ("\u{1B}]2;x", "l", "s3cret"), ("a", "\u{7}", "s3cret"), ("a", "\u{202E}", "s3cret"),
            ("a\rb", "l", "s3cret"), ("a", "l", "s3cret\u{9B}2J"), ("a", "l", "s3cret\u{202E}"),
            ("a", "l", "s3cret\rb"),
        ] {
            let added = try device(["add-internet-password", "-s", "h", "-a", account, "-l", label], input: secret)
            #expect(added.status == 0)
            let refused = try ending("export csv --to-terminal", on: device, until: "\n")
            #expect(refused.status == 35)
            #expect(!refused.seen.contains("s3cret") && !refused.seen.contains("exported"))
            #expect(try device("delete-internet-password -s h").status == 0)
        }
        try device(["add-internet-password", "-s", "h", "-a", "é☝🏽", "-l", "a\nb"], input: "s3cret")
        let written = try ending("export csv --to-terminal", on: device, until: "\"s3cret\"")
        #expect(written.status == 0)
        // A binary format is refused before anything is looked for.
        #expect(try ending("export --format der --label k", on: device, until: "send it to a program.").status == 35)
    }

    @Test("a program ended at the prompt leaves the terminal with its echo", arguments: [SIGINT, SIGTERM, SIGHUP])
    func ended(_ signal: Int32) throws {
        let device = try ThrowawayDevice.unlocked()
        let terminal = try Terminal()
        let (process, output) = try start(
            ["add-generic-password", "-s", "typed", "--device", device.directory], on: terminal)
        _ = try terminal.read(until: "Secret: ")
        #expect(!terminal.echoes)
        kill(process.processIdentifier, signal)
        _ = try output.fileHandleForReading.readToEnd()
        process.waitUntilExit()
        #expect(process.terminationReason == .uncaughtSignal)
        #expect(process.terminationStatus == signal)
        #expect(terminal.echoes)
    }

    @Test("an export to a terminal is refused unless it is meant")
    func exportToTerminal() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-internet-password -s h -a a", input: "s3cret")
        for (option, status) in [([], 35), (["--to-terminal"], 0)] as [([String], Int32)] {
            let terminal = try Terminal()
            let process = Process()
            process.executableURL = try Installation.program("latchkey")
            process.arguments = ["export", "csv", "--device", device.directory] + option
            process.standardOutput = FileHandle(fileDescriptor: terminal.program, closeOnDealloc: false)
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == status)
        }
    }
}
