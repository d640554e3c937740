import Foundation
import Glibc
import Testing

/// An interactive bash with job control on a pseudo-terminal of its own: what a person types and sees in a terminal window.
final class InteractiveShell {
    private let person: Int32
    private let process = Process()
    private let link: ProgramLink

    init(on device: ThrowawayDevice) throws {
        link = try ProgramLink()
        // The Glibc module has no posix_openpt; these are the two requests it makes (TIOCSPTLCK, TIOCGPTN).
        person = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: UInt32 = 0
        try #require(person >= 0)
        try #require(ioctl(person, 0x4004_5431, &isLocked) == 0)
        try #require(ioctl(person, 0x8004_5430, &number) == 0)
        let program = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        try #require(program >= 0)
        defer { close(program) }
        process.executableURL = URL(filePath: "/usr/bin/setsid")
        process.arguments = ["--ctty", "--wait", "/bin/bash", "--norc", "--noprofile", "--noediting", "-i"]
        process.environment = ControllingTerminal.environment([
            "PS1": "ready> ", "LATCHKEY_DEVICE": "unix:\(device.directory)/run/keychain.sock",
            "LK": link.path, "BASH_SILENCE_DEPRECATION_WARNING": "1",
        ])
        let handle = FileHandle(fileDescriptor: program, closeOnDealloc: false)
        process.standardInput = handle
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        try read(until: "ready> ")
    }

    deinit {
        // Closing the terminal hangs up on everything in it.
        close(person)
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
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
}
