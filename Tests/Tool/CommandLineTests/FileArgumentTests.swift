import ArgumentParser
import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

@Suite("Files on the command line")
struct FileArgumentTests {
    private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    @Test(
        "command lines that parse",
        arguments: [
            "encrypt", "encrypt -", "encrypt f", "encrypt f -o g", "encrypt f --output - --quiet", "encrypt f -f -q",
            "encrypt f --force --password-fd 3 --json", "encrypt f -s backup -a me -l label --prompt why",
            "encrypt - --service backup --no-prompt", "encrypt f -s backup --access-group g", "decrypt f.rnc",
            "encrypt - -s backup --access-group g --passcode-fd 3", "decrypt f --password-fd 0", "decrypt -- -f",
        ])
    func parses(_ line: String) throws {
        try ArgumentGuard.refuseSecrets(in: Self.words(line))
        _ = try Latchkey.parseAsRoot(Self.words(line))
    }

    @Test(
        "command lines that do not, with what the message names",
        arguments: [
            ("encrypt f g", "g"), ("encrypt f -o", "-o"), ("encrypt f --password-fd x", "x"),
            ("encrypt f --password-fd 3 -s backup", "--password-fd"), ("encrypt f --access-group g", "-s, -a or -l"),
            ("decrypt f --no-prompt", "-s, -a or -l"), ("encrypt --password-fd 0", "Standard input"),
            ("decrypt - -s backup --access-group g", "--passcode-fd"), ("encrypt - -s x --passcode-fd 0", "passcode"),
        ])
    func doesNotParse(_ line: String, _ named: String) {
        do {
            _ = try Latchkey.parseAsRoot(Self.words(line))
            Issue.record("it parses")
        } catch {
            #expect(Latchkey.message(for: error).contains(named), "\(Latchkey.message(for: error))")
        }
    }

    @Test("empty names are refused", arguments: [["encrypt", ""], ["decrypt", "f.rnc", "-o", ""]])
    func emptyNames(_ arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try Latchkey.parseAsRoot(arguments) }
    }

    @Test(
        "a password in the arguments is refused and not repeated",
        arguments: [
            "encrypt f -p hunter2", "encrypt f -phunter2", "decrypt -P hunter2 f", "decrypt f -k hunter2",
            "encrypt --password hunter2 f", "encrypt --password=hunter2 f", "decrypt --passphrase hunter2 f",
            "decrypt --pass hunter2 f", "encrypt --pass=hunter2 f", "encrypt f --key hunter2",
            "--json encrypt f -whunter2", "decrypt -qw hunter2", "encrypt f -fphunter2", "encrypt -hqfk hunter2 f",
            "encrypt f --passw=hunter2", "encrypt f --passwd hunter2", "decrypt f --passcode=hunter2",
        ])
    func passwords(_ line: String) {
        let failure = #expect(throws: CommandFailure.self) {
            try ArgumentGuard.refuseSecrets(in: Self.words(line))
        }
        #expect(failure?.status == .secretInArguments)
        #expect(failure?.text.contains("hunter2") == false)
        #expect(failure?.advice?.contains("--password-fd") == true)
    }

    @Test(
        "more than one file is refused, and nothing of it repeated: it may be a password",
        arguments: [
            "encrypt f hunter2", "decrypt hunter2 f", "encrypt f -- hunter2", "encrypt -q f -o g hunter2",
            "encrypt f - hunter2", "encrypt -- f hunter2", "encrypt -fq f hunter2", "encrypt -fo g f hunter2",
            "encrypt -og f hunter2", "--device d encrypt --output=g f hunter2",
        ])
    func operands(_ line: String) {
        let failure = #expect(throws: CommandFailure.self) { try ArgumentGuard.refuseSecrets(in: Self.words(line)) }
        #expect(failure?.status == .usage)
        #expect(failure?.text.contains("hunter2") == false)
        #expect(failure?.advice?.contains("--password-fd") == true)
    }

    @Test("control characters of names are escaped where people read them")
    func names() throws {
        let name = "a\u{1b}[2J\nb"
        let failure = #expect(throws: CommandFailure.self) { try InputFile("/nonexistent/\(name)") }
        #expect(failure?.what.hasPrefix("/nonexistent/a\\u{1b}[2J\\u{a}b could") == true)
        #expect(OutputTarget.file(name, replacing: false).name == "a\\u{1b}[2J\\u{a}b")
        let output = #expect(throws: CommandFailure.self) {
            try OutputFile(.file("/nonexistent/\(name)", replacing: false))
        }
        #expect(output?.text.contains("\u{1b}") == false)
        let command = try #require(try Latchkey.parseAsRoot(["decrypt", name]) as? DecryptCommand)
        let unnamed = #expect(throws: CommandFailure.self) { try command.files.decryptedTarget() }
        #expect(unnamed?.text.contains("\u{1b}") == false)
    }

    @Test(
        "a name of a descriptor and a word behind -- are not taken for passwords",
        arguments: [
            "encrypt f --password-fd 3", "decrypt f --password-fd=3", "encrypt --passcode-fd 3 f -s x",
            "encrypt -- -phunter2", "find-generic-password -s encrypt -w", "encrypt f -o g -s service -a me -l label",
            "encrypt -qo g f", "encrypt f -fqow", "encrypt f --prompt why --access-group g --passcode-fd 3 -s x",
            "encrypt a b --help", "encrypt --device d f --json",
        ])
    func descriptors(_ line: String) throws {
        try ArgumentGuard.refuseSecrets(in: Self.words(line))
    }

    @Test(
        "where the result goes",
        arguments: [
            ("encrypt f", OutputTarget.file("f.rnc", replacing: false)), ("encrypt", .standardOutput),
            ("encrypt -", .standardOutput), ("encrypt f -o -", .standardOutput),
            ("encrypt a/f -f", .file("a/f.rnc", replacing: true)), ("encrypt - -o g", .file("g", replacing: false)),
            ("encrypt f.rnc", .file("f.rnc.rnc", replacing: false)),
        ])
    func encrypted(_ line: String, _ target: OutputTarget) throws {
        let command = try #require(try Latchkey.parseAsRoot(Self.words(line)) as? EncryptCommand)
        #expect(command.files.encryptedTarget == target)
    }

    @Test(
        "the decrypted file has the name without its ending",
        arguments: [
            ("decrypt f.rnc", OutputTarget.file("f", replacing: false)), ("decrypt", .standardOutput),
            ("decrypt a.b/c.tar.rnc", .file("a.b/c.tar", replacing: false)), ("decrypt f -o -", .standardOutput),
            ("decrypt f -o g", .file("g", replacing: false)), ("decrypt - -o g -f", .file("g", replacing: true)),
        ])
    func decrypted(_ line: String, _ target: OutputTarget) throws {
        let command = try #require(try Latchkey.parseAsRoot(Self.words(line)) as? DecryptCommand)
        #expect(try command.files.decryptedTarget() == target)
    }

    @Test(
        "where there is no ending, the output has to be named", arguments: ["f", ".rnc", "a/.rnc", "f.RNC", "f.rnc/"])
    func noEnding(_ name: String) throws {
        let command = try #require(try Latchkey.parseAsRoot(["decrypt", name]) as? DecryptCommand)
        let failure = #expect(throws: CommandFailure.self) { try command.files.decryptedTarget() }
        #expect(failure?.status == .usage)
        #expect(failure?.advice?.contains("--output") == true)
    }

    @Test("the flags of the password name an item")
    func item() throws {
        let named = try FilePassword.parse(["-s", "backup", "-a", "me", "-l", "label"])
        #expect(
            named.itemPairs == [
                QueryPair("svce", .string("backup")), QueryPair("acct", .string("me")),
                QueryPair("labl", .string("label")),
            ])
        #expect(try FilePassword.parse([]).itemPairs.isEmpty)
        #expect(try FilePassword.parse(["--password-fd", "3"]).passwordFd == 3)
    }
}
