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

    @Test("codes that nobody uses are said to be none", arguments: [["error", "-1"], ["error", "7"]])
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

    @Test(
        "wrong arguments end with 64",
        arguments: [["nonsense"], ["status", "extra"], ["configure"], ["explain", "--limit", "0"]])
    func usage(_ arguments: [String]) throws {
        #expect(try run(try Installation.program("latchkey"), arguments).status == 64)
    }
}
