import Foundation
import LatchkeyTestSupport
import Testing

/// A recovery code that is shown once, and has to be written down then.
@Suite("latchkey sync: the recovery code is shown")
struct SyncRecoveryCodeTests {
    private let stage: SyncStage

    init() throws { stage = try SyncStage() }

    /// Types a command into a shell and answers for the passcode. The result is the groups of the code that the terminal shows.
    private func groups(_ line: String, on device: SyncDevice, in shell: InteractiveShell) throws -> [String] {
        shell.type("$LK sync \(line) --device '\(device.device.directory)'\n")
        try shell.read(until: "asscode: ")
        shell.type(SyncDevice.passcode + "\n")
        let seen = try shell.read(until: "Group ")
        let code = try #require(seen.firstMatch(of: /(?:[0-9A-Z]{4}-){6}[0-9A-Z]{4}/)?.output, "\(seen)")
        return code.split(separator: "-").map(String.init)
    }

    /// Reads the number of the group that is asked for.
    private func number(_ shell: InteractiveShell) throws -> Int {
        let question = try shell.read(until: " of the recovery code: ")
        return try #require(question.firstMatch(of: /([1-7]) of the recovery code: $/).flatMap { Int($0.output.1) })
    }

    @Test("on a terminal two groups are asked for, in any case, and a wrong one once more") func asked() throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        let shell = try InteractiveShell(on: laptop.device)
        let groups = try groups("create \(laptop.place) --owners-items no", on: laptop, in: shell)
        shell.type(groups[try number(shell) - 1].lowercased() + "\n")
        let second = try number(shell)
        shell.type("UUUU\n")
        try shell.read(until: "This is not group \(second).")
        #expect(try number(shell) == second)
        shell.type(groups[second - 1] + "\n")
        let end = try shell.read(until: "ready> ")
        #expect(end.contains("Both groups are right."))
        #expect(!groups.contains { end.contains($0) }, "nothing that was typed is shown")
        #expect(try laptop.membership() == "member")
    }

    @Test("after three wrong answers the terminal says how to make another code") func unknown() throws {
        let laptop = try stage.founder().device
        let shell = try InteractiveShell(on: laptop.device)
        _ = try groups("recovery-code new", on: laptop, in: shell)
        for _ in 0..<3 {
            _ = try number(shell)
            shell.type("UUUU\n")
        }
        try shell.read(until: "make another one: latchkey sync recovery-code new")
        try shell.read(until: "ready> ")
    }

    @Test("a code that could not be shown is said to be lost, with the way to another one", arguments: ["", " --json"])
    func lost(_ option: String) throws {
        let laptop = try SyncDevice("laptop", stage.folder)
        let latchkey = try Installation.program("latchkey").path
        func unshown(_ line: String) throws -> Ending {
            try run(
                URL(filePath: "/bin/bash"),
                ["-c", "\"$0\" sync \(line)\(option) --device '\(laptop.device.directory)' >/dev/full", latchkey],
                input: Data((SyncDevice.passcode + "\n").utf8))
        }
        for (line, words) in [
            ("create \(laptop.place)", "The circle is founded, and its recovery code was not shown."),
            ("recovery-code new", "The former recovery code is void, and the new one was not shown."),
        ] {
            let ending = try unshown(line)
            #expect(ending.status == 1 && ending.errors.contains(words), "\(ending)")
            #expect(ending.errors.contains("latchkey sync recovery-code new"), "\(ending)")
        }
        #expect(try laptop.membership() == "member")
    }
}
