import Foundation
import Glibc
import Testing

@Suite("Items move from one device to another")
struct MigrationTests {
    /// Runs `latchkey migrate` without a terminal; a pinentry that knows the passcode of both devices answers for the
    /// person, where it is named.
    private func migrate(
        _ line: String, _ passcodes: [String], environment: [String: String] = [:]
    ) throws -> Ending {
        try run(
            URL(filePath: "/usr/bin/setsid"),
            ["--wait", try Installation.program("latchkey").path, "migrate", "--json"]
                + line.split(separator: " ").map(String.init),
            input: Data(passcodes.map { $0 + "\n" }.joined().utf8), environment: environment)
    }

    private func left(_ ending: Ending) throws -> [String] {
        try #require(try ending.json()["left"] as? [[String: Any]]).compactMap { $0["item"] as? String }.sorted()
    }

    private func pinentry(in directory: String) throws -> [String: String] {
        let script = """
            #!/bin/bash
            echo OK
            while IFS= read -r line; do
                case $line in
                    'GETINFO flavor') echo 'D scripted'; echo OK ;;
                    GETPIN) echo 'D 246810'; echo OK ;;
                    *) echo OK ;;
                esac
            done
            """
        let path = directory + "-pinentry"
        let writing = try run(
            URL(filePath: "/bin/bash"), ["-c", "cat > \"$0\" && chmod 700 \"$0\"", path], input: Data(script.utf8))
        try #require(writing.status == 0)
        return ["LATCHKEY_PINENTRY": path, "WAYLAND_DISPLAY": "wayland-0"]
    }

    @Test("with groups, classes, conditions, dates and keys; what cannot move is named and stays; again finds it done")
    func everything() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        for (line, secret) in [
            ("add-generic-password -s mail -a alice -j note --accessible after-first-unlock", "one"),
            ("add-generic-password -s sync --synchronizable", "two"),
            ("add-internet-password -s git.example.org -a alice -r https -P 8443 -p /repo", "three"),
            ("add-generic-password -s guarded --require passcode", "four"),
            ("add-generic-password -s same", "five"), ("add-generic-password -s other", "six"),
        ] {
            let ending = try source(line, input: secret)
            try #require(ending.status == 0, "\(line): \(ending.errors)")
        }
        let foreign = "class=genp account=bob accessGroup=TEAM.mail"
        try #require(try source("item add \(foreign)", input: "246810\nseven").status == 0)
        try #require(try source("key generate --label soft").status == 0)
        try #require(try source("key generate --enclave --label hard").status == 0)
        try #require(try target("add-generic-password -s same", input: "five").status == 0)
        try #require(try target("add-generic-password -s other", input: "another").status == 0)
        let date = try source("find-generic-password -s mail --json").json()["cdat"] as? String
        let key = try source("key public --label soft").output
        // A device whose daemon has stopped is opened by the command itself.
        try #require(try source("stop").status == 0)

        let line = "--from \(source.directory) --to \(target.directory)"
        #expect(try migrate(line, ["000000", "246810"]).status == 20)
        let first = try migrate(line, ["246810", "246810"])
        #expect(first.status == 34, "\(first.output)\(first.errors)")
        #expect(try first.json()["present"] as? Int == 1)
        #expect(try first.json()["from"] as? String == source.directory)
        #expect(try first.json()["to"] as? String == target.directory)
        // The two halves of the key in software; the public half of the one in the enclave is a part of that.
        #expect(try left(first).count == 3, "\(first.output)")
        #expect(try left(first).contains("1 generic password, asking for a person"))
        #expect(try left(first).contains { $0.hasPrefix("key") && $0.contains("hard") })
        #expect(try left(first).contains { $0.contains("other") })

        let mail = try target("find-generic-password -s mail --json").json()
        #expect(mail["acct"] as? String == "alice")
        #expect(mail["icmt"] as? String == "note")
        #expect(mail["pdmn"] as? String == "ck")
        #expect(mail["cdat"] as? String == date)
        #expect(mail["agrp"] as? String == "org.latchkey.owner")
        for (service, secret) in [("mail", "one"), ("sync", "two"), ("same", "five"), ("other", "another")] {
            #expect(try target("find-generic-password -s \(service) -w").output == secret + "\n")
        }
        #expect(try target("find-generic-password -s sync --synchronizable").status == 0)
        let web = try target("find-internet-password -s git.example.org -P 8443 -p /repo -w")
        #expect(web.output == "three\n", "\(web.errors)")
        let bob = try target("item find \(foreign) ReturnData=true", input: "246810\n")
        #expect(bob.output.contains("seven"), "\(bob.errors)")
        #expect(try target("key public --label soft").output == key)
        // What moved is gone here; what did not is not.
        #expect(try source("start").status == 0)
        #expect(try source("unlock", input: "246810\n").status == 0)
        #expect(try source("find-generic-password -s mail").status == 44)
        #expect(try source("find-generic-password -s other -w").output == "six\n")
        #expect(try source("key public --label hard").status == 0)

        // With somebody to ask, and from a daemon to a daemon.
        let environment = try pinentry(in: source.directory)
        defer { try? FileManager.default.removeItem(atPath: source.directory + "-pinentry") }
        let second = try migrate(line, ["246810", "246810"], environment: environment)
        #expect(second.status == 34, "\(second.output)\(second.errors)")
        #expect(try second.json()["moved"] as? Int == 1)
        #expect(try left(second).count == 2)
        #expect(try target.withoutTerminal("find-generic-password -s guarded -w").status == 36)
        let guarded = try target.withoutTerminal("find-generic-password -s guarded -w", environment: environment)
        #expect(guarded.output == "four\n", "\(guarded.errors)")
    }

    @Test("a copy leaves the first device as it was; a device and itself, or none, are refused")
    func copies() throws {
        let (source, target) = (try ThrowawayDevice(), try ThrowawayDevice())
        #expect(try source("add-generic-password -s s", input: "secret").status == 0)
        #expect(try migrate("--from \(source.directory) --to \(target.directory)", []).status == 10)
        #expect(try target("start").status == 0)
        let line = "--from \(source.directory) --to \(target.directory)"
        let copied = try migrate(line + " --keep", [])
        #expect(copied.status == 0, "\(copied.errors)")
        for device in [source, target] { #expect(try device("find-generic-password -s s -w").output == "secret\n") }
        #expect(try migrate(line, []).json()["present"] as? Int == 1)
        #expect(try source("find-generic-password -s s").status == 44)
        #expect(try migrate("--from \(target.directory) --to \(target.directory)", []).status == 64)
        #expect(try migrate("--from \(target.directory)/none --to \(target.directory)", []).status == 10)
        // Without a passcode the daemon shows other programs' items to nobody, its owner included.
        let refused = try migrate("--from \(target.directory) --to \(source.directory)", [])
        #expect(refused.status == 14)
        #expect(refused.errors.isEmpty && refused.output.contains("latchkey stop"))
    }

    static let looking = [
        "status", "find-generic-password -s x -w", "delete-generic-password -s x", "dump-keychain", "explain", "lock",
        "item find class=genp", "key list", "find-identity", "app list", "access list", "team list", "doctor",
        "export csv --to-terminal", "audit tail", "adopt", "finger list", "erase --yes",
    ]

    @Test(
        "a command that only looks makes no device, neither in an empty directory nor in the user's", arguments: looking
    )
    func noDevice(_ line: String) throws {
        let device = try ThrowawayDevice()
        let named = try device(line)
        #expect(named.status != 0 && named.status < 128, "\(named.status) \(named.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: device.directory).isEmpty)
        let own = try run(
            try Installation.program("latchkey"), line.split(separator: " ").map(String.init),
            environment: ["XDG_DATA_HOME": device.directory])
        #expect(own.status != 0 && own.status < 128, "\(own.status) \(own.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: device.directory).isEmpty)
    }
}
