import ArgumentParser
import LatchkeyCommandLineTool
import Testing

@Suite("A tool that is installed setgid shows prompts, and lends its level to nothing else")
struct SetgidToolTests {
    private func refusal(_ arguments: [String], isSetgid: Bool = true) throws -> CommandFailure? {
        SetgidTool.refusal(of: try Latchkey.parseAsRoot(arguments), isSetgid: isSetgid)
    }

    @Test(
        "every other command is refused",
        arguments: [
            ["status"], ["find-generic-password", "-s", "s"], ["dump-keychain"], ["export", "csv"], ["doctor"],
            ["tour"],
            ["passcode", "set"], ["configure", "--require-level", "C"], ["app", "list"], ["start"],
        ])
    func others(arguments: [String]) throws {
        let refusal = try refusal(arguments)
        #expect(refusal?.status == .usage)
        #expect(try self.refusal(arguments, isSetgid: false) == nil)
    }

    @Test("the agent runs, and on no device that its caller names")
    func agent() throws {
        #expect(try refusal(["agent"]) == nil)
        #expect(try refusal(["agent", "--device", "/tmp/false"])?.status == .usage)
        #expect(try refusal(["agent", "--device", "/tmp/own"], isSetgid: false) == nil)
    }
}
