import Foundation
import Testing

@Suite("Help through the command line")
struct HelpTests {
    @Test(
        "result codes by number and by name",
        arguments: [
            (["error", "-25300"], "errSecItemNotFound"), (["error", "errSecItemNotFound"], "-25300"),
            (["error", "itemnotfound"], "-25300"), (["error", "-34018"], "errSecMissingEntitlement"),
        ])
    func codes(_ arguments: [String], _ expected: String) throws {
        let ending = try run(try Installation.program("latchkey"), arguments)
        #expect(ending.status == 0)
        #expect(ending.output.contains(expected))
    }

    @Test("unknown codes are reported as such", arguments: [["error", "-1"], ["error", "7"]])
    func unknownCodes(_ arguments: [String]) throws {
        #expect(try run(try Installation.program("latchkey"), arguments).status == 44)
        #expect(try run(try Installation.program("latchkey"), ["error", "nonsense"]).status == 64)
    }

    @Test("the completion script of bash is a script")
    func completions() throws {
        let script = try run(try Installation.program("latchkey"), ["completions", "bash"])
        #expect(script.status == 0)
        #expect(script.output.contains("add-generic-password"))
        let check = try run(URL(filePath: "/bin/bash"), ["-n"], input: Data(script.output.utf8))
        #expect(check.status == 0, "\(check.errors)")
    }

    @Test("--version says which version it is, as the daemons do")
    func version() throws {
        let ending = try run(try Installation.program("latchkey"), ["--version"])
        #expect(ending.status == 0)
        let daemon = try run(try Installation.program("latchkeyd"), ["--version"])
        #expect(ending.output.dropFirst("latchkey".count) == daemon.output.dropFirst("latchkeyd".count))
    }

    @Test("with --json wrong arguments are one document, too, and nothing of them is repeated")
    func jsonUsage() throws {
        for (arguments, status) in [
            (["status", "hunter2", "--json"], 64), (["--json", "nonsense"], 64),
            (["unlock", "--json", "--passcode", "hunter2"], 30), (["passcode", "set", "hunter2", "--json"], 30),
        ] {
            let ending = try run(try Installation.program("latchkey"), arguments)
            #expect(ending.status == status)
            let error = try #require(try ending.json()["error"] as? [String: Any])
            #expect(error["exitCode"] as? Int == Int(status))
            #expect(!(ending.output + ending.errors).contains("hunter2"))
            #expect(ending.errors.isEmpty)
        }
    }

    @Test(
        "output that cannot be written is a failure, and said",
        arguments: ["error -50", "error -50 --json", "completions bash", "tour --json"])
    func fullOutput(_ line: String) throws {
        let ending = try run(
            URL(filePath: "/bin/bash"),
            ["-c", "\"$0\" \(line) >/dev/full", try Installation.program("latchkey").path])
        #expect(ending.status == 1)
        #expect(ending.errors.contains("could not be written"))
    }

    @Test(
        "wrong arguments end with 64",
        arguments: [["nonsense"], ["status", "extra"], ["configure"], ["explain", "--limit", "0"]])
    func usage(_ arguments: [String]) throws {
        #expect(try run(try Installation.program("latchkey"), arguments).status == 64)
    }
}
