import ArgumentParser
import LatchkeyCommandLineTool
import Testing

@Suite("The arguments of codesign")
struct CodesignArgumentTests {
    @Test(
        "what is asked",
        arguments: [
            (["--team", "T", "--identifier", "a.b", "p"], .sign), (["-s", "T", "-i", "a.b", "p"], .sign),
            (["--sign", "T", "-i", "a.b", "-f", "-v", "p"], .sign), (["--key", "k", "-i", "a.b", "p"], .sign),
            (["-s", "T", "-i", "a", "--entitlements", "-", "p"], .sign),
            (["-s", "T", "-i", "a", "--detached", "--output", "o", "p"], .sign),
            (["-s", "T", "-i", "a", "-D", "--passphrase-fd", "3", "p"], .sign), (["--verify", "p"], .verify),
            (["-v", "p"], .verify), (["--verbose", "p"], .verify), (["--verify", "-v", "p"], .verify),
            (["-d", "p"], .display), (["-dv", "p"], .display), (["--display", "--entitlements", "-", "p"], .display),
            (["-d", "--entitlements", ":-", "p"], .display), (["--remove", "p"], .remove),
            (["--remove-signature", "p"], .remove), (["--verify", "--", "-p"], .verify),
        ] as [([String], CodesignCommand.Mode)])
    func modes(_ arguments: [String], _ mode: CodesignCommand.Mode) throws {
        #expect(try CodesignCommand.parse(arguments).mode == mode)
    }

    @Test(
        "what makes no sense",
        arguments: [
            [], ["p"], ["--team", "T", "p"], ["-i", "a.b", "p"], ["--key", "k", "p"], ["--verify"], [""], ["-v", ""],
            ["-s", "T", "-i", "a", "--verify", "p"], ["-d", "--verify", "p"], ["--remove", "-d", "p"],
            ["--verify", "--entitlements", "f", "p"], ["-d", "--entitlements", "f", "p"],
            ["-s", "T", "-i", "a", "--output", "o", "p"], ["--verify", "--detached", "p"],
            ["--verify", "--force", "p"],
            ["-d", "--passphrase-fd", "3", "p"], ["-s", "T", "-i", "a", "p", "q"], ["--passphrase", "x", "p"],
        ])
    func refused(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try CodesignCommand.parse(arguments) }
    }

    @Test(
        "a team is made with one way to protect its key",
        arguments: [
            ([], true), (["--name", "Example & Söhne"], true), (["--no-passphrase"], true),
            (["--passphrase-fd", "3"], true), (["--passphrase-fd", "3", "--no-passphrase"], false),
            (["--name", ""], false), (["--name", " x"], false), (["--name", "a\u{1B}[2J"], false),
            (["--name", "a\u{202E}b"], false), (["--name", String(repeating: "a", count: 65)], false),
            (["--output", ""], false), (["extra"], false),
        ] as [([String], Bool)])
    func teams(_ arguments: [String], _ isAccepted: Bool) {
        let command = try? TeamCreate.parse(arguments)
        #expect((command != nil) == isAccepted)
    }
}
