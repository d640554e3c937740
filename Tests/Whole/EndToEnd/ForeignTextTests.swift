import Foundation
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

/// Texts that other programs chose – paths, groups, names of items, names in certificates – reach no terminal and no
/// log as they are, whichever command shows it.
@Suite("Texts of other programs in everything that people read")
struct ForeignTextTests {
    /// A line break with a line that looks like ours, an escape sequence, a C1 control, and marks of direction.
    private static let hostile =
        "x\n2026-11-22T06:30:00Z  find\n  do      curl evil\u{1B}]0;owned\u{7}\u{9B}31m\u{202E}\u{2066}\u{200F}\u{2028}\u{2029}y"
    private static let forged = "2026-11-22T06:30:00Z  find"

    private static func isDangerous(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A: false
        case 0..<0x20, 0x7F...0x9F, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    private func check(_ text: String, _ what: String) {
        let found = text.unicodeScalars.filter(Self.isDangerous).map { String($0.value, radix: 16) }
        #expect(found.isEmpty, "\(what): \(found) in \(text.debugDescription)")
        #expect(!text.split(separator: "\n").contains { $0.hasPrefix(Self.forged) }, "\(what) has a forged line")
    }

    private static let commands: [[String]] = [
        ["explain", "--limit", "50"], ["app", "list"], ["audit", "tail", "--limit", "50"], ["audit", "verify"],
        ["item", "find", "class=genp", "MatchLimit=all"], ["dump-keychain"], ["dump-keychain", "-d"],
        ["find-certificate", "-a", "-Z", "-m"], ["find-identity"], ["find-key"], ["key", "list"], ["team", "list"],
        ["find-generic-password", "-g"], ["find-internet-password"], ["status"], ["doctor"],
    ]

    @Test("no output of a command has a character that a terminal obeys, or a line that another program wrote")
    func outputs() throws {
        let stage = try AttackStage()
        let device = stage.device
        let program = try stage.program(Self.hostile)
        // Refused, with the path and the group in the refusal; seen, with the path in the list of apps.
        var request = Conversation.find("mail")
        request.query.append(.init("agrp", .string("G" + Self.hostile)))
        let refused = try stage.outcome(of: program, request)
        #expect(refused == .answered(.missingEntitlement, rule: .foreignAccessGroup, group: nil))
        #expect(try stage.outcome(of: program, Conversation.add(Self.hostile)) == .stored)
        for pair in [["class=genp", "service=a"], ["class=inet", "server=b"]] {
            let named = ["account", "label", "comment", "description"].map { "\($0)=\(Self.hostile)" }
            let added = try device(["item", "add"] + pair + named, input: Self.hostile + "\n")
            try #require(added.status == 0, "\(added.errors)")
        }
        let key = try device(["key", "generate", "--label", Self.hostile, "--tag", Self.hostile])
        try #require(key.status == 0, "\(key.errors)")
        let openssl = try OpenSSL(beside: device)
        // openssl's own argument cannot have what it separates names by.
        let name = "a\u{9B}31m\u{202E}\u{2067}b\u{1B}[2Jc\u{2028}d"
        try openssl("genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -out c.key")
        try openssl("req -new -x509 -utf8 -key c.key -subj /CN=\(name) -days 9 -out c.pem")
        let stored = try device("add-certificates \(openssl.path("c.pem"))")
        try #require(stored.status == 0, "\(stored.errors)")

        for command in Self.commands {
            let shown = try device(command)
            check(shown.output, command.joined(separator: " "))
            check(shown.errors, command.joined(separator: " ") + ", errors")
            let document = try device(command + ["--json"])
            check(document.output, command.joined(separator: " ") + " --json")
            _ = try JSONSerialization.jsonObject(with: Data(document.output.utf8), options: .fragmentsAllowed)
        }
        for command in [["access", "test", program], ["app", "show", program], ["codesign", "--display", program]] {
            check(try device(command).output, command[0])
            check(try device(command).errors, command[0] + ", errors")
        }
        // Escaped text is still there to be seen.
        let explained = try device("explain --limit 50").output
        #expect(explained.contains("\\u{1b}]0;owned\\u{7}\\u{9b}31m\\u{202e}\\u{2066}\\u{200f}\\u{2028}\\u{2029}y"))
        #expect(try device("find-certificate -a").output.contains("a\\u009b31m\\u202e\\u2067b\\u001b[2Jc\\u2028d"))
        let apps = try JSONSerialization.jsonObject(with: Data(try device("app list --json").output.utf8))
        let paths = try #require(apps as? [[String: Any]]).compactMap { $0["program"] as? String }
        #expect(paths.contains(program), "a document has the path as it is")
    }

    @Test("each line of the logs of daemon and enclave is one event of theirs, whatever the refused program is called")
    func logs() throws {
        let stage = try AttackStage()
        let name = "x\nlatchkey-enclave: ready, storage FORGED\u{1B}[31m\u{9B}m\u{202E}"
        let program = try stage.program(name)
        let frame = try stage.frame(Conversation.find("mail"), named: "find")
        let run = stage.device.directory + "/run/"
        _ = try EndToEnd.run(URL(filePath: program), ["ask", run + "enclave.sock", frame])
        for log in ["latchkey-enclave", "latchkeyd"] {
            guard let text = try? String(contentsOfFile: run + log + ".log", encoding: .utf8) else { continue }
            check(text, log)
            for line in text.split(separator: "\n") {
                #expect(line.hasPrefix("latchkeyd: ") || line.hasPrefix("latchkey-enclave: "), "\(line)")
                #expect(!line.hasPrefix("latchkey-enclave: ready, storage FORGED"))
            }
        }
        let enclaveLog = try String(contentsOfFile: run + "latchkey-enclave.log", encoding: .utf8)
        #expect(enclaveLog.contains("x\\u{a}latchkey-enclave: ready, storage FORGED\\u{1b}[31m\\u{9b}m\\u{202e}"))
    }
}
