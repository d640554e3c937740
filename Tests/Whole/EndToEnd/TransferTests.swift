import Foundation
import Testing

@Suite("Import and export through the command line")
struct TransferTests {
    private static let csv = Installation.repositoryFile("Examples/Input/sample.csv")
    private static let netrc = Installation.repositoryFile("Examples/Input/sample.netrc")

    @Test("what a browser exported goes in, comes out, and goes into another device the same")
    func roundTrip() throws {
        let first = try ThrowawayDevice.unlocked()
        #expect(try first(["import", "csv", Self.csv, "--json"]).json()["added"] as? Int == 5)
        #expect(try first(["import", "csv", Self.csv, "--json"]).json()["existing"] as? Int == 5)
        #expect(try first(["import", "csv", "-U", Self.csv, "--json"]).json()["replaced"] as? Int == 5)
        #expect(
            try first("find-internet-password -s bank.example.org -P 8443 -w").output == "0-1-moth-taped-in-the-log\n")
        #expect(try first("find-generic-password -s Wi-Fi -w").output == "a-word-for-guests-only\n")
        let exported = try first("export csv")
        #expect(exported.status == 0)

        let second = try ThrowawayDevice.unlocked()
        #expect(try second("import csv -", input: exported.output).status == 0)
        let again = try second("export csv")
        #expect(Set(again.output.split(separator: "\r\n")) == Set(exported.output.split(separator: "\r\n")))
    }

    @Test("netrc goes in and comes out, without what it cannot hold")
    func netrc() throws {
        let device = try ThrowawayDevice.unlocked()
        #expect(try device(["import", "netrc", Self.netrc, "--json"]).json()["added"] as? Int == 6)
        #expect(try device("find-internet-password -s git.example.org -w").output == "helix B-form, photo 51\n")
        #expect(
            try device("find-internet-password -s registry.example.org -w").output
                == "quote \" and backslash \\ inside\n")
        let exported = try device("export netrc")
        #expect(exported.status == 0)
        #expect(
            exported.output.contains(
                "machine git.example.org login rosalind.franklin password \"helix B-form, photo 51\""))
    }

    @Test("an export goes into another device the same: bytes, lines, quotes, commas, empty attributes, conditions")
    func everythingRoundTrip() throws {
        let first = try ThrowawayDevice.unlocked()
        let items: [(arguments: [String], input: String)] = [
            (["add-generic-password", "-s", "bin", "-a", "b", "-X"], "00ff0a1b"),
            (["add-generic-password", "-s", "lines", "-a", "", "-l", ""], "one\ntwo, \"three\"\n"),
            (["add-generic-password", "-s", "https://looks.like/a?url", "-a", "ü,\"q\""], "p\"w,d"),
            (["add-generic-password", "-a", "no service", "-j", "line\nline", "-D", "kind", "-G", "gen"], "x"),
            (["add-generic-password"], "nothing but a secret"),
            (["add-generic-password", "-s", "late", "--accessible", "after-first-unlock-this-device-only"], "l"),
            (["add-generic-password", "-s", "cloud", "--synchronizable", "-c", "abcd"], "c"),
            (["add-internet-password", "-s", "UPPER.example", "-a", "u", "-r", "ssh ", "-P", "22", "-p", "path"], "i"),
            (["add-internet-password", "-s", "h", "-d", "realm", "-t", "dflt"], "\u{9b}no control"),
            (["add-generic-password", "-s", "asks", "--require", "passcode"], "money"),
        ]
        for (arguments, input) in items {
            let added = try first(arguments, input: input)
            #expect(added.status == 0, "\(arguments) \(added.errors)")
        }
        let exporting = try ControllingTerminal("export csv", on: first)
        try exporting.read(until: "Passcode: ")
        exporting.type("246810\n")
        let exported = try exporting.end()
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.errors.contains("\(items.count) passwords exported in clear."))
        #expect(exported.output.contains(",00ff0a1b,"))
        #expect(exported.errors.contains("1 of them is not text"))

        let second = try ThrowawayDevice.unlocked()
        let imported = try second("import csv -", input: exported.output)
        #expect(imported.status == 0, "\(imported.errors)")
        #expect(imported.output.contains("\(items.count) imported."))
        let exportingAgain = try ControllingTerminal("export csv", on: second)
        try exportingAgain.read(until: "Passcode: ")
        exportingAgain.type("246810\n")
        let again = try exportingAgain.end()
        #expect(Self.records(again.output) == Self.records(exported.output))
        #expect(try second("find-generic-password -s lines --raw").output == "one\ntwo, \"three\"\n")
        #expect(try second("find-generic-password -s bin --hex").output == "00ff0a1b\n")
        // There is no person to ask, or prompts are forbidden: then such items are left out, and that is said.
        for ending in [
            try second.withoutTerminal("export csv"),
            try ControllingTerminal("export csv --no-prompt", on: second).end(),
        ] {
            #expect(ending.status == 34, "\(ending.errors)")
            #expect(ending.errors.contains("Left out: items that require authentication"))
            #expect(ending.output.contains("UPPER.example") && !ending.output.contains("money"))
        }
    }

    /// Records end with CRLF; lines inside of a field end with LF here.
    private static func records(_ text: String) -> Set<String> {
        Set(text.replacingOccurrences(of: "\r\n", with: "\u{1e}").split(separator: "\u{1e}").map(String.init))
    }

    @Test("an export to netrc says what such a file cannot hold, and ends with 34")
    func leftOut() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("add-internet-password -s h -a a -P 1", input: "one")
        #expect(try device("export netrc").status == 0)
        try device("add-internet-password -s h -a a -P 2", input: "two")
        try device("add-internet-password -s bin -X", input: "ff")
        try device("add-generic-password -s g", input: "three")
        try device("item add class=inet server=none --without-secret")
        try device("item add class=inet server=bytes account=hex:610062", input: "four")
        try device("item add class=inet server=bytes account=hex:ff", input: "five")
        let ending = try device("export netrc")
        #expect(ending.status == 34)
        for reason in [
            "1 password, not of a server", "1 password, of a machine and login",
            "1 password, with a secret that a netrc file cannot hold", "1 password, without a secret",
            "2 passwords, without a server, or with a server or account that is not text",
        ] {
            #expect(ending.errors.contains("Left out: \(reason)"), "\(ending.errors)")
        }
        #expect(!ending.output.contains("bytes"))
        #expect(try device("import netrc -", input: ending.output).status == 0)
    }

    @Test("what is read from a descriptor or a pipe is not said to be kept in a file")
    func standardInput() throws {
        let device = try ThrowawayDevice()
        let text = "machine h login a password "
        for (index, name) in ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"].enumerated() {
            let ending = try device("import netrc \(name) -U", input: text + "\(index)")
            #expect(ending.status == 0, "\(name) \(ending.errors)")
            #expect(!ending.output.contains("still holds"), "\(name) \(ending.output)")
        }
        let file = device.directory + "/netrc"
        try Data((text + "x").utf8).write(to: URL(filePath: file))
        #expect(try device("import netrc \(file) -U").output.contains("still holds"))
        try FileManager.default.removeItem(atPath: file)
    }

    @Test("what one device cannot take of a file is named, and the rest is imported")
    func refusedRecord() throws {
        let device = try ThrowawayDevice()
        try #require(try device("start").status == 0)
        // A protection class that no keychain has.
        let file = "url,username,password,latchkey\na,b,c,pdmn=text:zz\nd,e,f,\n"
        let ending = try device("import csv -", input: file)
        #expect(ending.status == 34, "\(ending.errors)")
        #expect(ending.output.contains("1 imported.") && ending.output.contains("Password 1 of the file was refused"))
        #expect(try device("find-generic-password -s d -w").output == "f\n")
    }

    @Test(
        "an import that leaves something ends with 34, names it, and does not say that the file may go",
        arguments: [
            ("accounts-in-email", 2, [Int]()), ("columns-not-taken", 1, [2]), ("one-key-two-secrets", 1, [3]),
        ])
    func losses(_ name: String, _ added: Int, _ left: [Int]) throws {
        let file = Installation.repositoryFile("Fixtures/Imports/\(name).csv")
        let secrets = ["secret1", "secret2", "s1", "s2", "4711", "ABCD-EFGH"]
        for command in [["import", "csv"], ["import", "csv", "-U"]] {
            let device = try ThrowawayDevice.unlocked()
            let ending = try device(command + [file])
            #expect(ending.status == (left.isEmpty ? 0 : 34), "\(ending.errors)")
            #expect(ending.output.contains("\(added) imported."), "\(ending.output)")
            #expect(ending.output.contains("delete it when you have seen") == left.isEmpty, "\(ending.output)")
            for line in left { #expect(ending.output.contains("Line \(line): "), "\(ending.output)") }
            #expect(!secrets.contains { ending.output.contains($0) }, "\(ending.output)")
            if name == "one-key-two-secrets" {
                #expect(try device("find-internet-password -s 192.0.2.1 -w").output == "s1\n")
            }
            let again = try device(command + [file, "--json"])
            #expect(again.status == (left.isEmpty ? 0 : 34))
            let named = try again.json()["left"] as? [[String: Any]]
            #expect(named?.compactMap { $0["line"] as? Int } == left)
            #expect(!secrets.contains { again.output.contains($0) }, "\(again.output)")
            // An unchanged item may differ from the file.
            let third = try device(["import", "csv", file])
            #expect(!third.output.contains("delete it when you have seen"), "\(third.output)")
        }
    }

    @Test("a file that is wrong anywhere imports nothing, and its line is named, not quoted")
    func malformed() throws {
        let device = try ThrowawayDevice.unlocked()
        let csv = try device("import csv -", input: "url,username,password\nhttps://a.example,x,s3cret\nhttps://b,y\n")
        #expect(csv.status == 33)
        #expect(csv.errors.contains("line 3"))
        #expect(!csv.errors.contains("s3cret"))
        #expect(try device("import netrc -", input: "machine a password s3cret\nbogus s3cret").status == 33)
        #expect(try device("import netrc /nonexistent").status == 32)
        #expect(try device("dump-keychain --json").json()["items"] as? [String] == [])
    }

    @Test("a locked device imports nothing")
    func locked() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("lock --now")
        #expect(try device(["import", "netrc", Self.netrc]).status == 36)
    }
}
