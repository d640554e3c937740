import Foundation
import Glibc
import Testing

@Suite("Terminals with several jobs, and readers that leave")
struct JobControlTests {
    private func guarded() throws -> ThrowawayDevice {
        let device = try ThrowawayDevice.unlocked()
        try #require(try device("add-generic-password -s bank --require passcode", input: "money").status == 0)
        return device
    }

    @Test(
        "an agent in the background of an interactive shell is not stopped, says when it is needed, and asks in front")
    func backgroundAgent() throws {
        let device = try guarded()
        let shell = try InteractiveShell(on: device)
        shell.type("$LK agent &\n")
        try shell.read(until: "serving the prompts")
        shell.type("jobs\n")
        #expect(try shell.read(until: "Running").contains("Stopped") == false)
        let asking = Asking { try device.withoutTerminal("find-generic-password -s bank -w") }
        try shell.read(until: "to the front to answer: fg")
        shell.type("fg\n")
        try shell.read(until: "Passcode: ")
        shell.type("246810\n")
        #expect(try asking.ending().output == "money\n")
        // In front it ends by Ctrl-C, and the shell goes on.
        shell.type("\u{3}")
        try shell.read(until: "The agent has ended.")
        shell.type("echo $((20 + 22))\n")
        try shell.read(until: "42")
    }

    @Test("an agent in the background whose prompt is not answered is ended by the shell's signal, and says so")
    func endedInTheBackground() throws {
        let device = try guarded()
        let shell = try InteractiveShell(on: device)
        shell.type("$LK agent &\n")
        try shell.read(until: "serving the prompts")
        let asking = Asking { try device.withoutTerminal("find-generic-password -s bank -w") }
        try shell.read(until: "to the front to answer: fg")
        shell.type("kill %1\n")
        #expect([51, 36].contains(try asking.ending().status))
        shell.type("wait; echo $((20 + 22))\n")
        try shell.read(until: "42")
    }

    @Test("an agent ends when the pager that it speaks into is left")
    func leftPager() throws {
        let device = try guarded()
        let shell = try InteractiveShell(on: device)
        shell.type("$LK agent 2>&1 | head -n 1; echo \"ended ${PIPESTATUS[0]}\"\n")
        try shell.read(until: "ended 0")
    }

    @Test("on a terminal a locked device asks for its passcode, and the command goes on")
    func unlocksOnTerminal() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-generic-password -s mail", input: "s3cret")
        for command in ["find-generic-password -s mail -w", "export csv", "dump-keychain -d"] {
            try device("lock --now")
            let terminal = try ControllingTerminal(command, on: device)
            try terminal.read(until: "Device passcode: ")
            terminal.type("111111\n")
            try terminal.read(until: "This is not the passcode.")
            try terminal.read(until: "Device passcode: ")
            terminal.type("246810\n")
            let ending = try terminal.end()
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.output.contains("s3cret"))
            #expect(try device.lockState() == "unlocked")
        }
        // No prompt is shown without a person, where it is forbidden, and by a program that reads JSON.
        try device("lock --now")
        #expect(try device("find-generic-password -s mail").status == 36)
        #expect(try ControllingTerminal("find-generic-password -s mail --json", on: device).end().status == 36)
        #expect(try ControllingTerminal("find-generic-password -s mail --no-prompt", on: device).end().status == 36)
        try device("stop")
        let terminal = try ControllingTerminal("find-generic-password -s mail -w", on: device)
        try terminal.read(until: "Device passcode: ")
        terminal.type("246810\n")
        #expect(try terminal.end().output == "s3cret\n")
    }

    @Test("the tour clears up when its output is closed, a pager is left, or its job may not use the terminal")
    func tour() throws {
        let program = try Installation.program("latchkey").path
        let input = Installation.repositoryFile("Examples/Input/sample.netrc")
        let directory = FileManager.default.temporaryDirectory.appending(path: "lk-\(UUID().uuidString.prefix(8))").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for (script, output) in [
            ("env --default-signal=PIPE '\(program)' tour '\(input)' | head -n 2; echo ${PIPESTATUS[0]}", "141\n"),
            (
                "env --default-signal=PIPE '\(program)' tour '\(input)' | (read line; exit 0); echo ${PIPESTATUS[0]}",
                "141\n"
            ),
            ("trap '' PIPE; '\(program)' tour '\(input)' | head -n 2; echo ${PIPESTATUS[0]}", "1\n"),
            ("'\(program)' tour '\(input)' >/dev/full; echo $?", "1\n"),
        ] {
            let ending = try run(URL(filePath: "/bin/bash"), ["-c", script], environment: ["TMPDIR": directory])
            #expect(ending.output.hasSuffix(output), "\(ending.output) \(ending.errors)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
        #expect(try run(URL(filePath: program), ["tour", input], environment: ["TMPDIR": directory]).status == 0)
        for signal in [SIGTTIN, SIGTTOU, SIGQUIT] {
            let process = Process()
            process.executableURL = URL(filePath: program)
            process.arguments = ["tour", input]
            process.environment = ProcessInfo.processInfo.environment.merging(["TMPDIR": directory]) { $1 }
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            var text = ""
            while !text.contains("Started"), let more = try output.fileHandleForReading.read(upToCount: 1) {
                text += String(decoding: more, as: UTF8.self)
            }
            kill(process.processIdentifier, signal)
            _ = try output.fileHandleForReading.readToEnd()
            process.waitUntilExit()
            #expect(process.terminationStatus == 128 + signal)
            #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == [])
        }
    }
}
