import Foundation
import Glibc
import LatchkeyTestSupport
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

    /// Returns the items that stay and the reasons, in one line each.
    private func reasons(_ ending: Ending) throws -> [String] {
        try #require(try ending.json()["left"] as? [[String: Any]]).map { left in
            "\(left["item"] as? String ?? ""): \(left["why"] as? String ?? "")"
        }
    }

    private func add(_ device: ThrowawayDevice, _ arguments: [String], _ secret: String = "") throws {
        let ending = try device(arguments, input: secret)
        try #require(ending.status == 0, "\(arguments): \(ending.errors)")
    }

    private func add(_ device: ThrowawayDevice, _ line: String, _ secret: String = "") throws {
        try add(device, line.split(separator: " ").map(String.init), secret)
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
        #expect(try left(first).contains("1 generic password, requiring authentication"))
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
        // Items that moved are gone here; the others are not.
        #expect(try source("start").status == 0)
        #expect(try source("unlock", input: "246810\n").status == 0)
        #expect(try source("find-generic-password -s mail").status == 44)
        #expect(try source("find-generic-password -s other -w").output == "six\n")
        #expect(try source("key public --label hard").status == 0)

        // With a person to ask, and from a daemon to a daemon.
        let pinentry = try ScriptedPinentry()
        let environment = pinentry.environment
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
        // Without a passcode the daemon shows other programs' items to no user, its owner included.
        let refused = try migrate("--from \(target.directory) --to \(source.directory)", [])
        #expect(refused.status == 14)
        #expect(refused.errors.isEmpty && refused.output.contains("latchkey stop"))
    }

    @Test("no passcode is asked for before it is known that both devices can be used")
    func checksFirst() throws {
        let device = try ThrowawayDevice.unlocked()
        let none = device.directory + "/none"
        for (line, status, word) in [
            ("--from \(device.directory) --to \(none)", 10, "--to"), ("--from \(none)", 10, "--from"),
            ("--from \(none) --to \(device.directory)", 10, "--from"),
        ] as [(String, Int32, String)] {
            let refused = try migrate(line, [])
            #expect(refused.status == status, "\(line) \(refused.output)\(refused.errors)")
            #expect(refused.output.contains(word), "\(line) \(refused.output)")
        }
        // Neither --to, nor a device that is used without it.
        let home = try run(
            try Installation.program("latchkey"), ["migrate", "--json", "--from", device.directory],
            environment: ["XDG_DATA_HOME": none])
        #expect(home.status == 10)
        #expect(home.output.contains("--to"), "\(home.output)")
    }

    @Test("each prompt names the device that it is for")
    func namedPrompts() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        for device in [source, target] { try add(device, "add-generic-password -s s --require passcode", "secret") }
        let pinentry = try ScriptedPinentry()
        let line = "--from \(source.directory) --to \(target.directory)"
        for _ in 0..<2 {
            let ending = try migrate(line + " --keep", ["246810", "246810"], environment: pinentry.environment)
            #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
            #expect(pinentry.texts.contains("the source of the migration, \(source.directory)\""), "\(pinentry.texts)")
            #expect(pinentry.texts.contains("the target of the migration, \(target.directory)\""), "\(pinentry.texts)")
            // The same without daemons.
            for device in [source, target] { try #require(try device("stop").status == 0) }
        }
    }

    @Test("an item stays where the other device's of its name differs in anything; one that is the same is recognised")
    func differences() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        for (name, here, there) in [
            ("label", "-l here", "-l there"), ("comment", "-j here", ""),
            ("class", "--accessible after-first-unlock", ""),
            ("rule", "", "--require passcode"),
        ] {
            try add(source, "add-generic-password -s \(name) \(here)", "secret")
            try add(target, "add-generic-password -s \(name) \(there)", "secret")
        }
        for (device, label) in [(source, "here"), (target, "there")] {
            try add(device, "item add class=genp service=empty label=\(label) --without-secret")
            try add(device, "item add class=genp service=nothing --without-secret")
            try add(device, "add-generic-password -s same -a alice -j note --accessible after-first-unlock", "secret")
        }
        let moved = try migrate("--from \(source.directory) --to \(target.directory)", ["246810", "246810"])
        #expect(moved.status == 34, "\(moved.output)\(moved.errors)")
        #expect(try moved.json()["moved"] as? Int == 0)
        #expect(try moved.json()["present"] as? Int == 2)
        let reasons = try reasons(moved)
        #expect(reasons.count == 5)
        for (name, why) in [
            ("here, label", "other attributes"), ("comment", "other attributes"), ("here, empty", "other attributes"),
            ("class", "another protection class or other conditions"), ("rule", "requires authentication"),
        ] {
            #expect(reasons.contains { $0.hasPrefix("generic password \(name)") && $0.hasSuffix(why) }, "\(reasons)")
        }
        for name in ["label", "comment", "class", "rule", "empty"] {
            #expect(try source("find-generic-password -s \(name)").status == 0)
        }
        for name in ["same", "nothing"] { #expect(try source("find-generic-password -s \(name)").status == 44) }
    }

    @Test(
        "a guarded item does not give way to one without conditions, and the same one is recognised when asked for"
    )
    func guardedItems() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        let pinentry = try ScriptedPinentry()
        for name in ["one", "two", "weak"] {
            try add(source, "add-generic-password -s \(name) --require passcode", "secret")
        }
        try add(target, "add-generic-password -s weak", "secret")
        let line = "--from \(source.directory) --to \(target.directory)"
        for (line, moved, present) in [(line + " --keep", 2, 0), (line + " --keep", 0, 2), (line, 0, 2)] {
            let ending = try migrate(line, ["246810", "246810"], environment: pinentry.environment)
            #expect(ending.status == 34, "\(ending.output)\(ending.errors)")
            #expect(try ending.json()["moved"] as? Int == moved)
            #expect(try ending.json()["present"] as? Int == present)
            let reasons = try reasons(ending)
            #expect(
                reasons.count == 1 && reasons[0].hasSuffix("another protection class or other conditions"), "\(reasons)"
            )
        }
        let asked = ["one", "two", "weak"].map { name in
            try? source.withoutTerminal("find-generic-password -s \(name)", environment: pinentry.environment).status
        }
        #expect(asked == [44, 44, 0])
    }

    @Test("everything that moves is the same on the other device: again nothing differs; an item keeps its first date")
    func sameAgain() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        try add(source, "add-generic-password -s date", "secret")
        try add(
            source, ["add-generic-password", "-s", "ü", "-a", "", "-l", "", "-G", "gen", "-c", "abcd", "-X"], "00ff")
        try add(source, "add-internet-password -s h -a a -r https -P 8443 -p /p -d realm -t form --synchronizable", "x")
        try add(source, "key generate --label soft")
        let date = try source("find-generic-password -s date --json").json()["cdat"] as? String
        // As where a migration was killed between the item and its date.
        try add(target, "add-generic-password -s date", "secret")
        let line = "--from \(source.directory) --to \(target.directory)"
        for (moved, present) in [(3, 1), (0, 4)] {
            let ending = try migrate(line + " --keep", ["246810", "246810"])
            #expect(ending.status == 0, "\(ending.output)\(ending.errors)")
            #expect(try ending.json()["moved"] as? Int == moved)
            #expect(try ending.json()["present"] as? Int == present)
        }
        #expect(try target("find-generic-password -s date --json").json()["cdat"] as? String == date)
    }

    @Test("a damaged item is left once, named as one that was set aside from then on, and holds up no other")
    func damage() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        for name in ["one", "two", "three", "four"] { try add(source, "add-generic-password -s \(name)", "secret") }
        try #require(try source("stop").status == 0)
        let script = """
            import sqlite3, sys
            database = sqlite3.connect(sys.argv[1] + "/keychain/keychain.db")
            rows = [row for row, in database.execute("SELECT rowid FROM genp ORDER BY rowid")]
            database.execute("UPDATE genp SET secret = randomblob(length(secret)) WHERE rowid = ?", (rows[1],))
            database.execute("UPDATE genp SET attributes = randomblob(length(attributes)) WHERE rowid = ?", (rows[2],))
            database.commit()
            """
        let damaging = try run(URL(filePath: "/usr/bin/python3"), ["-c", script, source.directory])
        try #require(damaging.status == 0, "\(damaging.errors)")
        let line = "--from \(source.directory) --to \(target.directory)"
        for (moved, left, before) in [(2, ["2 damaged items"], 0), (0, [], 2), (0, [], 2)] {
            let ending = try migrate(line, ["246810", "246810"])
            #expect(ending.status == (left.isEmpty ? 0 : 34), "\(ending.output)\(ending.errors)")
            #expect(try ending.json()["moved"] as? Int == moved)
            #expect(try ending.json()["setAsideBefore"] as? Int == before)
            #expect(try self.left(ending) == left, "\(ending.output)")
        }
        for name in ["one", "four"] { #expect(try target("find-generic-password -s \(name) -w").output == "secret\n") }
    }

    @Test("killed, or left alone by a daemon, in its middle: what was done is told, and run again it settles the rest")
    func cutShort() throws {
        let (source, target) = (try ThrowawayDevice.unlocked(), try ThrowawayDevice.unlocked())
        for name in ["a", "b"] { try add(source, "add-generic-password -s \(name)", "secret") }
        for name in ["c", "d"] { try add(source, "add-generic-password -s \(name) --require passcode", "secret") }
        let line = "--from \(source.directory) --to \(target.directory)"
        // A person is asked when the items without conditions have moved.
        let killing = try ScriptedPinentry(before: "kill -9 $PPID; exit")
        // setsid ends with the number of the signal.
        #expect(try migrate(line, ["246810", "246810"], environment: killing.environment).status == SIGKILL)
        try add(source, "add-generic-password -s e", "secret")
        let daemon = try target.processIdentifier("latchkeyd")
        let stopping = try ScriptedPinentry(
            before: "kill -9 \(daemon); while kill -0 \(daemon); do sleep 0.1; done 2>/dev/null")
        let stopped = try migrate(line, ["246810", "246810"], environment: stopping.environment)
        #expect(stopped.status == 10, "\(stopped.output)\(stopped.errors)")
        #expect(try stopped.json()["moved"] as? Int == 1)
        #expect((try stopped.json()["error"] as? [String: Any])?["exitCode"] as? Int == 10)
        try #require(try target("start").status == 0)
        let pinentry = try ScriptedPinentry()
        let rest = try migrate(line, ["246810", "246810"], environment: pinentry.environment)
        #expect(rest.status == 0, "\(rest.output)\(rest.errors)")
        for name in ["a", "b", "c", "d", "e"] {
            let command = "find-generic-password -s \(name) -w"
            let found = try target.withoutTerminal(command, environment: pinentry.environment)
            #expect(found.output == "secret\n", "\(name) \(found.errors)")
            #expect(try source(command).status == 44)
        }
    }

    @Test(
        "a device that takes no changes can be copied from, and nothing else",
        .needsMounts, arguments: [true, false])
    func readOnly(hasPasscode: Bool) throws {
        let source = hasPasscode ? try ThrowawayDevice.unlocked() : try ThrowawayDevice()
        let target = try ThrowawayDevice.unlocked()
        try add(source, "add-generic-password -s mail", "secret")
        if hasPasscode {
            try add(source, "item add class=genp account=bob accessGroup=TEAM.mail", "246810\nseven")
            try #require(try source("stop").status == 0)
        }
        let disk = try SmallDisk(megabytes: 16)
        let path = disk.path + "/device"
        try #require(try run(URL(filePath: "/bin/cp"), ["-a", source.directory, path]).status == 0)
        try disk.makeReadOnly()
        let passcodes = hasPasscode ? ["246810", "246810"] : ["246810"]
        for line in ["--from \(path) --to \(target.directory)", "--from \(target.directory) --to \(path) --keep"] {
            let refused = try migrate(line, passcodes)
            #expect(refused.status == 40, "\(refused.output)\(refused.errors)")
            #expect(refused.output.contains("takes no changes"))
        }
        let copied = try migrate("--from \(path) --to \(target.directory) --keep", passcodes)
        #expect(copied.status == 0, "\(copied.output)\(copied.errors)")
        #expect(try copied.json()["moved"] as? Int == (hasPasscode ? 2 : 1))
        #expect(try copied.json()["from"] as? String == path)
        #expect(try target("find-generic-password -s mail -w").output == "secret\n")
    }

    @Test("a device is not migrated to itself, however its directory and its socket are named")
    func itself() throws {
        let device = try ThrowawayDevice.unlocked()
        try add(device, "add-generic-password -s mail", "secret")
        let link = device.directory + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: device.directory)
        defer { try? FileManager.default.removeItem(atPath: link) }
        let ends =
            ["/", "/.", "/run/.."].map { device.directory + $0 } + [
                link, "unix:\(device.directory)/run/../run/keychain.sock", "unix:\(link)/run/keychain.sock",
            ]
        for isRunning in [true, false] {
            if !isRunning { try #require(try device("stop").status == 0) }
            for end in ends where isRunning || !end.hasPrefix("unix:") {
                let refused = try migrate("--from \(device.directory) --to \(end)", ["246810", "246810"])
                #expect(refused.status == 64, "\(end) \(refused.output)\(refused.errors)")
            }
        }
        try #require(try device("start").status == 0)
        try #require(try device("unlock", input: "246810\n").status == 0)
        #expect(try device("find-generic-password -s mail -w").output == "secret\n")
    }

    @Test("names of items are escaped for people, and only once for programs")
    func hiddenCharacters() throws {
        let (source, target) = (try ThrowawayDevice(), try ThrowawayDevice())
        let name = "mail\u{1b}[2J"
        for (device, secret) in [(source, "one"), (target, "another")] {
            try add(device, ["add-generic-password", "-s", name], secret)
        }
        let line = "--from \(source.directory) --to \(target.directory)"
        #expect(try left(try migrate(line, [])) == ["generic password \(name)"])
        let text = try run(
            try Installation.program("latchkey"), ["migrate"] + line.split(separator: " ").map(String.init))
        #expect(text.output.contains("generic password mail\\u{1b}[2J: "), "\(text.output)")
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
