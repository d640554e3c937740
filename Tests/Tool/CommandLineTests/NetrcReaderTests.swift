import LatchkeyCommandLineTool
import LatchkeySecretMemory
import Testing

@Suite("netrc files")
struct NetrcReaderTests {
    private func read(_ text: String) throws -> ImportedFile {
        try withBytes(text) { try NetrcReader.read($0) }
    }

    private func machine(_ password: ImportedPassword) -> String? {
        if case .server(let name, _, _, _, _) = password.place { name } else { nil }
    }

    struct Entry: Sendable, Equatable {
        let machine: String
        let login: String
        let password: String
    }

    @Test(
        "the entries that a file holds",
        arguments: [
            ("machine a login b password c", [Entry(machine: "a", login: "b", password: "c")]),
            ("machine a\n\tlogin b\r\n\tpassword c\n", [Entry(machine: "a", login: "b", password: "c")]),
            ("machine a password c login b", [Entry(machine: "a", login: "b", password: "c")]),
            ("machine a password c", [Entry(machine: "a", login: "", password: "c")]),
            ("# comment machine x\nmachine a login b password #c", [Entry(machine: "a", login: "b", password: "#c")]),
            ("machine a login b # why not\npassword c", [Entry(machine: "a", login: "b", password: "c")]),
            (
                "machine a login \"b c\" password \"d \\\"e\\\" \\\\ \\n\"",
                [Entry(machine: "a", login: "b c", password: "d \"e\" \\ \n")]
            ),
            ("machine a login b password c\\d", [Entry(machine: "a", login: "b", password: "c\\d")]),
            ("machine a login password password login", [Entry(machine: "a", login: "password", password: "login")]),
            ("machine \"machine\" password p", [Entry(machine: "machine", login: "", password: "p")]),
            (
                "machine a login b password c machine a login d password e",
                [Entry(machine: "a", login: "b", password: "c"), Entry(machine: "a", login: "d", password: "e")]
            ),
            ("\u{FEFF}machine a password b", [Entry(machine: "a", login: "", password: "b")]),
            ("", []), ("# nothing\n", []), (" \n\t\r\n", []),
        ])
    func entries(_ text: String, _ entries: [Entry]) throws {
        let found = try read(text).passwords.map { password in
            Entry(machine: machine(password) ?? "", login: password.account, password: password.secret.text)
        }
        #expect(found == entries)
    }

    @Test("macros end at an empty line, and what stands in them is not read")
    func macros() throws {
        let file = try read(
            "machine a password b\nmacdef init\n  machine x password y\n  bad words\n\nmachine c password d\nmacdef z\n  q"
        )
        #expect(file.passwords.map(machine) == ["a", "c"])
        #expect(file.left == [LeftPart(line: 2, .macro), LeftPart(line: 7, .macro)])
        let one = try read("macdef a\nx\n\nmachine h password p\n")
        #expect(one.notes == ["Line 1: a macro (macdef); it was not imported."])
    }

    @Test("default and machines without a password are left out and named; accounts become comments")
    func leftOut() throws {
        let file = try read("machine a login b machine c password d account e default login f password g")
        #expect(file.passwords.map(machine) == ["c"])
        #expect(file.passwords[0].comment == "account e")
        #expect(file.left == [LeftPart(line: 1, .withoutPassword), LeftPart(line: 1, .defaultEntry)])
    }

    @Test(
        "one wrong word and nothing of the file is taken",
        arguments: [
            ("machine a\nlogon b\n", TransferFailure(.unknownWord, line: 2)),
            ("machine a password \"b\" c", TransferFailure(.unknownWord, line: 1)),
            ("\"machine\" a", TransferFailure(.unknownWord, line: 1)),
            ("machine", TransferFailure(.valueMissing, line: 1)),
            ("machine a\npassword\n", TransferFailure(.valueMissing, line: 2)),
            ("login a", TransferFailure(.wordBeforeMachine, line: 1)),
            ("password a", TransferFailure(.wordBeforeMachine, line: 1)),
            ("machine a login b login c", TransferFailure(.wordTwice, line: 1)),
            ("machine a password b\npassword c", TransferFailure(.wordTwice, line: 2)),
            ("default password a machine b", TransferFailure(.machineAfterDefault, line: 1)),
            ("default password a\ndefault", TransferFailure(.machineAfterDefault, line: 2)),
            ("machine a password \"b", TransferFailure(.quoteNotClosed, line: 1)),
            ("machine a password \"b\nc\"", TransferFailure(.quoteNotClosed, line: 1)),
            ("machine a password \"b\\", TransferFailure(.badEscape, line: 1)),
            ("machine a password \"b\\\n\"", TransferFailure(.badEscape, line: 1)),
            ("machine a password b\0c", TransferFailure(.zeroByte, line: 1)),
            ("machine a password \"b\0c\"", TransferFailure(.zeroByte, line: 1)),
            (
                "machine " + String(repeating: "x", count: 1024 * 1024 + 1), TransferFailure(.fieldTooLong, line: 1)
            ),
        ])
    func malformed(_ text: String, _ failure: TransferFailure) {
        #expect(throws: failure) { try read(text) }
    }

    @Test("a machine's name that is not UTF-8 is refused, a secret that is not is taken")
    func notUTF8() throws {
        let name = Array("machine ".utf8) + [0xFF] + Array(" password a".utf8)
        #expect(throws: TransferFailure(.notUTF8, line: 1)) { try name.withUnsafeBytes { try NetrcReader.read($0) } }
        let secret = Array("machine a password ".utf8) + [0xFF, 0xFE]
        let file = try secret.withUnsafeBytes { try NetrcReader.read($0) }
        #expect(file.passwords[0].secret.equals(SecretBox(copying: [0xFF, 0xFE])))
    }
}
