import Foundation
import Glibc
import Testing

/// A pseudo-terminal with a session of its own: what a person sees and types, and the program whose `/dev/tty` it is.
final class ControllingTerminal {
    private let person: Int32
    private let path: String
    private let process = Process()
    private let output = Pipe()

    /// Starts `latchkey` in it, beneath a shell that says at the end whether the terminal echoes again.
    convenience init(
        _ line: String, on device: ThrowawayDevice, environment: [String: String] = [:], secret: String? = nil
    ) throws {
        try self.init(line, inDirectory: device.directory, environment: environment, secret: secret)
    }

    /// The same for a device in any directory.
    init(
        _ line: String, inDirectory directory: String, environment: [String: String] = [:], secret: String? = nil
    ) throws {
        // The Glibc module has no posix_openpt; these are the two requests it makes (TIOCSPTLCK, TIOCGPTN).
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        try #require(person >= 0)
        try #require(ioctl(person, 0x4004_5431, &isLocked) == 0)
        try #require(ioctl(person, 0x8004_5430, &number) == 0)
        path = "/dev/pts/\(number)"
        let program = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(program >= 0)
        defer { close(program) }

        let shell = """
            if [[ -n $SECRET ]]; then "$@" <<<"$SECRET"; else "$@"; fi
            status=$?
            stty -a | grep -q ' echo ' && echo 'It echoes.' >&2
            exit $status
            """
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.arguments =
            ["--ctty", "--wait", "/bin/bash", "-c", shell, "bash", try Installation.program("latchkey").path]
            + line.split(separator: " ").map(String.init) + ["--device", directory]
        process.environment = Self.environment(environment).merging(["SECRET": secret ?? ""]) { $1 }
        process.standardInput = FileHandle(fileDescriptor: program, closeOnDealloc: false)
        process.standardError = FileHandle(fileDescriptor: program, closeOnDealloc: false)
        process.standardOutput = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        close(person)
    }

    /// Nothing of the user who runs the tests: no display, no pinentry, no other device.
    static func environment(_ more: [String: String] = [:]) -> [String: String] {
        ["PATH": "/usr/bin:/bin", "TERM": "dumb", "HOME": "/nonexistent"].merging(more) { $1 }
    }

    /// Returns the text that the person sees, up to and with `text`.
    @discardableResult
    func read(until text: String) throws -> String {
        var seen: [UInt8] = []
        while !String(decoding: seen, as: UTF8.self).contains(text) {
            var source = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
            let isThere = poll(&source, 1, 60_000) == 1 && source.revents & Int16(POLLIN) != 0
            try #require(isThere, "no \"\(text)\" but: \(String(decoding: seen, as: UTF8.self))")
            var byte: UInt8 = 0
            try #require(Glibc.read(person, &byte, 1) == 1)
            seen.append(byte)
        }
        return String(decoding: seen, as: UTF8.self)
    }

    func type(_ text: String) {
        _ = text.withCString { write(person, $0, strlen($0)) }
    }

    /// Sends a signal to `latchkey` itself, somewhere beneath the program that made the session.
    func send(_ signal: Int32) throws {
        var found = [process.processIdentifier]
        while let identifier = found.popLast() {
            let name = try? String(contentsOfFile: "/proc/\(identifier)/comm", encoding: .utf8)
            if name == "latchkey\n" {
                try #require(kill(identifier, signal) == 0)
                return
            }
            let children = try? String(
                contentsOfFile: "/proc/\(identifier)/task/\(identifier)/children", encoding: .utf8)
            found += (children ?? "").split(separator: " ").compactMap { Int32($0) }
        }
        Issue.record("no latchkey runs in this session")
    }

    /// Waits for the end. The result has everything that the person has seen since the last `read`.
    func end() throws -> Ending {
        let written = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        var seen: [UInt8] = []
        var source = pollfd(fd: person, events: Int16(POLLIN), revents: 0)
        while poll(&source, 1, 0) == 1, source.revents & Int16(POLLIN) != 0 {
            var byte: UInt8 = 0
            guard Glibc.read(person, &byte, 1) == 1 else { break }
            seen.append(byte)
        }
        return Ending(
            status: process.terminationStatus, output: String(decoding: written, as: UTF8.self),
            errors: String(decoding: seen, as: UTF8.self))
    }
}

extension ThrowawayDevice {
    /// Runs `latchkey` without any terminal, display or pinentry.
    func withoutTerminal(
        _ line: String, input: String = "", environment: [String: String] = [:]
    ) throws -> Ending {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.arguments =
            ["--wait", try Installation.program("latchkey").path] + line.split(separator: " ").map(String.init)
            + ["--device", directory]
        process.environment = ControllingTerminal.environment(environment)
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        let errors = try stderr.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return Ending(
            status: process.terminationStatus, output: String(decoding: output, as: UTF8.self),
            errors: String(decoding: errors, as: UTF8.self))
    }
}
