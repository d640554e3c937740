import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyKeychainMessages
import LatchkeyPrompt
import LatchkeySecretMemory
import LatchkeyThreading
import Testing

extension Prompt {
    static func asking(
        _ kind: Kind, program: String = "/usr/bin/mail", team: String? = nil, reason: String = "Read your mail",
        cancelTitle: String? = nil, fallbackTitle: String? = nil, notice: String? = nil, item: String? = nil
    ) -> Prompt {
        Prompt(
            kind: kind, program: program, team: team, reason: reason, cancelTitle: cancelTitle,
            fallbackTitle: fallbackTitle, notice: notice, item: item)
    }
}

extension PromptAnswer {
    /// The answer as a word, a secret as its text.
    var text: String {
        switch self {
        case .secret(let secret): "secret " + secret.withBytes { String(decoding: $0, as: UTF8.self) }
        case .cancelled: "cancelled"
        case .fallback: "fallback"
        case .withdrawn: "withdrawn"
        case .timedOut: "timedOut"
        case .failed(let reason): "failed: " + reason
        }
    }
}

/// A directory of a test's own, with a pinentry made of a few lines of shell.
final class ScriptedPinentry {
    let directory: String
    var program: String { directory + "/pinentry" }

    /// - Parameter answer: what it does when it is to ask a person.
    init(asked answer: String, greeting: String = "echo 'OK Pleased to meet you'", other: String = "echo OK") throws {
        var template = Array("/tmp/latchkey-prompt.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try #require(mkfifo(directory + "/asked", 0o600) == 0)
        let script = """
            #!/bin/bash
            cd '\(directory)'
            echo $$ > process
            ls /proc/$$/fd > descriptors
            \(greeting)
            while IFS= read -r line; do
                printf '%s\\n' "$line" >> said
                case $line in
                    'GETINFO flavor') echo 'D scripted'; echo OK ;;
                    GETPIN|CONFIRM*) \(answer) ;;
                    *) \(other) ;;
                esac
            done
            """
        try script.write(toFile: program, atomically: false, encoding: .utf8)
        try #require(chmod(program, 0o700) == 0)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: directory)
    }

    var prompt: PinentryPrompt {
        // By way of the shell: a file that was just written cannot always be run while other threads start programs.
        PinentryPrompt(
            program: "/bin/bash", arguments: [program],
            environment: ["PATH": "/usr/bin:/bin", "WAYLAND_DISPLAY": "wayland-0"])
    }

    func ask(_ prompt: Prompt, until cancellation: Cancellation = Cancellation(seconds: 60)) -> String {
        self.prompt.ask(prompt, until: cancellation).text
    }

    /// Returns the lines that it was sent.
    func said() throws -> [String] {
        try String(contentsOfFile: directory + "/said", encoding: .utf8).split(separator: "\n").map(String.init)
    }

    func file(_ name: String) throws -> String {
        try String(contentsOfFile: directory + "/" + name, encoding: .utf8)
    }

    /// Waits until the script has opened the file `asked` for writing.
    func waitUntilAsked() {
        let descriptor = open(directory + "/asked", O_RDONLY | O_CLOEXEC)
        close(descriptor)
    }

    /// False once the process is gone and reaped.
    func isThere() throws -> Bool {
        let identifier = try #require(Int32(try file("process").trimmingCharacters(in: .whitespacesAndNewlines)))
        return kill(identifier, 0) == 0
    }
}

/// A pseudo-terminal: what a person sees and types, and its path for programs.
final class PseudoTerminal {
    let person: Int32
    let program: Int32
    let path: String

    init() throws {
        // The Glibc module has no posix_openpt; these are the two requests it makes (TIOCSPTLCK, TIOCGPTN).
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        try #require(person >= 0)
        try #require(ioctl(person, 0x4004_5431, &isLocked) == 0)
        try #require(ioctl(person, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(program >= 0)
    }

    deinit {
        close(person)
        close(program)
    }

    /// Returns the text that the person sees, up to and with `text`.
    func read(until text: String) throws -> String {
        var seen: [UInt8] = []
        while !String(decoding: seen, as: UTF8.self).contains(text) {
            var source = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
            try #require(poll(&source, 1, 60_000) == 1, "nothing but: \(String(decoding: seen, as: UTF8.self))")
            var byte: UInt8 = 0
            try #require(Glibc.read(person, &byte, 1) == 1)
            seen.append(byte)
        }
        return String(decoding: seen, as: UTF8.self)
    }

    func type(_ text: String) {
        _ = text.withCString { write(person, $0, strlen($0)) }
    }

    var echoes: Bool {
        var settings = termios()
        return tcgetattr(program, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
            && settings.c_lflag & tcflag_t(ISIG) != 0
    }
}

/// A question that is being asked on a thread of its own.
final class PendingAnswer: @unchecked Sendable {
    // Sendable because the answer is written before the group is left and read after the wait for it.
    private let group = DispatchGroup()
    private var answer = ""

    init(_ port: any PromptPort, _ prompt: Prompt, until cancellation: Cancellation = Cancellation(seconds: 60)) {
        group.enter()
        Thread.detachNewThread { [self] in
            answer = port.ask(prompt, until: cancellation).text
            group.leave()
        }
    }

    func wait() -> String {
        group.wait()
        return answer
    }
}
