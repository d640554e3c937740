import ArgumentParser
import LatchkeyCommandLineTool
import Testing

@Suite("Secrets among the arguments of any command")
struct SecretArgumentTests {
    private static let secret = "hunter2-246810"
    private static let commands = (CommandShape.tool?.paths ?? [])

    /// Returns the refusal of a command line; nil if it would run.
    private static func refusal(_ words: [String]) -> (failure: CommandFailure, text: String)? {
        guard case .refused(let failure, let usage) = ToolProgram.command(words) else { return nil }
        return (failure, failure.text + usage)
    }

    @Test("all commands are walked")
    func walked() {
        #expect(Self.commands.count >= 55)
        for path in [
            ["status"], ["passcode", "set"], ["key", "sign"], ["export"], ["export", "csv"], ["team", "trust"],
        ] {
            #expect(Self.commands.contains(path))
        }
    }

    @Test(
        "an option for a passcode or a secret is refused with 30 by every command, and nothing of it is repeated",
        arguments: commands)
    func options(_ path: [String]) {
        for name in [
            "passcode", "password", "passphrase", "passwd", "pass", "pin", "secret", "new-passcode", "old-password",
            "Passcode", "secretkey",
        ] {
            for attached in [["--\(name)=\(Self.secret)"], ["--\(name)", Self.secret]] {
                let found = Self.refusal(path + attached)
                #expect(found?.failure.status == .secretInArguments, "\(path) \(attached)")
                #expect(found?.text.contains(Self.secret) == false)
            }
        }
        let oneHyphen = Self.refusal(path + ["-passcode", Self.secret])
        #expect(oneHyphen?.failure.status == .secretInArguments, "\(path)")
        for name in ["--passcode-fd", "--secret-fd", "--passphrase-fd", "--password-fd"] {
            for attached in [["\(name)=\(Self.secret)"], [name, Self.secret]] {
                let found = Self.refusal(path + attached)
                #expect(found?.failure.status == .secretInArguments, "\(path) \(attached)")
                #expect(found?.text.contains(Self.secret) == false)
            }
        }
    }

    @Test(
        "a value that begins with a combining mark is refused with 30 as any other",
        arguments: [
            "add-generic-password -w", "add-generic-password -X", "add-generic-password -p", "import -P", "encrypt -p",
            "encrypt -qk", "export --password=",
        ])
    func combining(_ line: String) {
        let words = (line + "\u{301}" + Self.secret).split(separator: " ").map(String.init)
        let found = Self.refusal(words)
        #expect(found?.failure.status == .secretInArguments)
        #expect(found?.text.contains(Self.secret) == false)
    }

    @Test("a word too many is not repeated by any command", arguments: commands)
    func wordsTooMany(_ path: [String]) {
        // Some commands take words; one that takes any number of them is not refused.
        let words = path + Array(repeating: Self.secret, count: 6)
        // Each of these parses for long in a debug build: where --json stands is tried with a part of the commands.
        let places = path.joined().utf8.count % 4 == 0 ? [words + ["--json"], ["--json"] + words] : []
        for words in [words, path + ["--limit", Self.secret]] + places {
            guard let found = Self.refusal(words) else { continue }
            #expect([.secretInArguments, .usage].contains(found.failure.status), "\(words)")
            #expect(!found.text.contains(Self.secret), "\(found.text)")
            #expect(!found.failure.text.contains(".."), "\(found.failure.text)")
        }
    }

    @Test(
        "a word too many where a passcode is asked for is taken for it",
        arguments: [
            "passcode set", "passcode change", "passcode remove", "unlock", "erase", "configure --grace 5",
            "find-generic-password -s x -w", "find-internet-password -w",
        ])
    func passcodes(_ line: String) {
        let found = Self.refusal(line.split(separator: " ").map(String.init) + ["246810"])
        #expect(found?.failure.status == .secretInArguments)
        #expect(found?.text.contains("246810") == false)
    }

    @Test("the values that a word may have are listed on one line, without the word")
    func listedValues() {
        let found = Self.refusal(["finger", "remove", Self.secret])
        #expect(found?.failure.what.contains("one of the following: left-thumb, left-index-finger,") == true)
        #expect(found?.failure.what.hasSuffix("right-little-finger.") == true)
        #expect(found?.failure.text.contains("\\u{") == false)
        #expect(found?.text.contains(Self.secret) == false)
        for secret in ["two\nlines", "two\n  - lines", "list:\n- x"] {
            let text = Self.refusal(["finger", "remove", secret])?.text ?? ""
            #expect(!text.contains("two") && !text.contains("lines") && !text.contains("list:"), "\(text)")
        }
    }

    @Test(
        "the advice names the option of the command that takes what was meant, or none where it takes nothing",
        arguments: [
            ("item add --secret x", "--secret-fd"), ("item add --passwrd x", "--secret-fd"),
            ("item add --passcode x", "--passcode-fd"), ("item add --pin 1", "--passcode-fd"),
            ("item update --passwd x", "--secret-fd"), ("--json item add --secret=x", "--secret-fd"),
            ("add-generic-password --passwrd x", "--secret-fd"),
            ("add-internet-password --device-pin 1", "--passcode-fd"),
            ("add-generic-password --secret x", "--secret-fd"), ("codesign --passwrd x", "--passphrase-fd"),
            ("encrypt --passwrd x", "--password-fd"), ("import --passwrd x", "--passphrase-fd"),
            ("import csv --passwrd x", "--passcode-fd"), ("unlock --password x", "--passcode-fd"),
            ("find-generic-password --password x", "--passcode-fd"), ("completions --pin 1", nil),
        ] as [(String, String?)])
    func descriptors(_ line: String, _ option: String?) throws {
        let failure = try #require(Self.refusal(line.split(separator: " ").map(String.init))?.failure)
        #expect(failure.status == .secretInArguments)
        for known in ["--secret-fd", "--password-fd", "--passphrase-fd", "--passcode-fd"] {
            #expect(failure.advice?.contains(known) == (known == option), "\(failure.text)")
        }
    }

    @Test("a pair of a query that is called like a secret is one", arguments: ["password", "Secret", "data", "v_Data"])
    func pairs(_ name: String) {
        let failure = #expect(throws: KeyValue.Failure.self) { try KeyValue("\(name)=\(Self.secret)") }
        #expect(failure == .secretKey(name))
        #expect(failure.map { CommandFailure($0).status } == .secretInArguments)
        #expect(failure.map { CommandFailure($0).text.contains(Self.secret) } == false)
    }

    @Test("a value behind --secret of an update is refused, and the query of one is not")
    func updateSecret() {
        #expect(
            Self.refusal(["item", "update", "class=genp", "--secret", "hunter2"])?.failure.status == .secretInArguments)
        #expect(Self.refusal(["item", "update", "--secret", "class=genp", "svce=x"]) == nil)
        #expect(Self.refusal(["item", "update", "class=genp", "--secret", "--json"]) == nil)
    }

    @Test(
        "what is not an option for a secret is not taken for one",
        arguments: [
            "lock --require-passcode", "unlock --passcode-fd 3", "export --no-passphrase --private-key --label x",
            "find-generic-password -s pin -a secret -l pass", "import file --passphrase-fd=4",
            "add-generic-password -s x --require passcode", "item find class=genp service=--password",
        ])
    func others(_ line: String) {
        #expect(Self.refusal(line.split(separator: " ").map(String.init)) == nil)
    }

    @Test(
        "a mistyped command is answered with what was meant",
        arguments: [
            (["stauts"], "`latchkey status`"), (["sttaus"], "`latchkey status`"), (["unlok"], "`latchkey unlock`"),
            (["find-generic-pasword", "-s", "x"], "`latchkey find-generic-password`"),
            (["unlock-keychain"], "`latchkey unlock`"), (["find"], "`latchkey find-internet-password`"),
            (["passcode", "sett"], "`latchkey passcode set`"), (["--json", "lokc"], "`latchkey lock`"),
            (["Status"], "`latchkey status`"), (["export", "cvs"], "`latchkey export csv`"),
            (["import", "cvs", "file"], "`latchkey import csv`"),
            (["help", "migrat"], "`latchkey migrate`"), (["migrat", "--help"], "`latchkey migrate`"),
            (["help", "key", "genrate"], "`latchkey key generate`"),
            (["key", "genrate", "-h"], "`latchkey key generate`"),
            (["help", "import", "cvs"], "`latchkey import csv`"), (["help", "hunter2-246810"], nil),
            (["item", "serach"], nil), (["hunter2-246810"], nil), (["x"], nil),
        ] as [([String], String?)])
    func suggestions(_ words: [String], _ meant: String?) throws {
        let found = try #require(Self.refusal(words))
        #expect(found.failure.status == .usage)
        let advice = try #require(found.failure.advice)
        #expect(advice.contains("Did you mean") == (meant != nil), "\(advice)")
        if let meant { #expect(advice.contains(meant), "\(advice)") }
        #expect(!found.text.contains(Self.secret))
        #expect(advice.contains("lists the commands"))
    }

    @Test("a mistyped option is named with the one that was meant; values are not repeated")
    func mistypedOptions() throws {
        let option = try #require(Self.refusal(["status", "--jsno"]))
        #expect(option.text.contains("--jsno") && option.text.contains("--json"), "\(option.text)")
        let value = try #require(Self.refusal(["configure", "--grace", "abc"]))
        #expect(!value.text.contains("abc"))
        #expect(value.text.contains("--grace"), "\(value.text)")
        #expect(value.text.contains("Usage: latchkey configure"))
        #expect(value.failure.advice == "`latchkey configure --help` explains it.")
    }

    @Test(
        "help and the version are not failures",
        arguments: [
            ["--version"], ["--help"], ["help", "lock"], ["key", "-h"], ["help"], ["help", "key", "generate"],
            ["--device", "/d", "--help"], ["--device", "/d", "item", "--help"], ["item", "--device", "/d", "--help"],
            ["--passcode-fd", "3", "key", "-h"], ["export", "csv", "--help"], ["help", "export"],
            ["item", "find", "--help"], ["error", "-50", "--help"],
        ])
    func help(_ words: [String]) {
        switch ToolProgram.command(words) {
        case .refused(let failure, _): Issue.record("\(failure.what)")
        // Help is a command of its own.
        case .runs: #expect(words != ["--version"])
        case .ends(let error):
            #expect(Latchkey.exitCode(for: error) == .success)
            #expect(Latchkey.fullMessage(for: error).contains(/^latchkey [0-9]+\.[0-9]+\.[0-9]+$/))
        }
    }
}
