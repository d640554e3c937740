import Foundation
import Testing

@Suite("Signing programs through the command line")
struct SigningTests {
    private static let strip = "/usr/bin/strip"

    @Test("a program is signed, runs, is checked and shown, and its signature is removed")
    func life() throws {
        let bench = try SigningProgram()
        let team = try bench.team(passphrase: "open sesame")
        let program = try bench.program()
        let before = try Data(contentsOf: URL(filePath: program))
        #expect(try bench("codesign", "--verify", program).status == 52)

        let entitlements = Installation.repositoryFile("Examples/SignedApp/SignedApp.entitlements")
        let signed = try bench(
            "codesign", "--team", team, "--identifier", "com.example.mail", "--entitlements", entitlements, program,
            input: "open sesame\n")
        #expect(signed.status == 0, "\(signed.errors)")
        let verified = try bench("codesign", "--verify", program, "--json").json()
        #expect(verified["application"] as? String == "\(team).com.example.mail")
        #expect(verified["team"] as? String == team)
        #expect(
            verified["groups"] as? [String] == ["\(team).com.example.shared", "\(team).com.example.mail"])
        #expect(try bench("codesign", "-v", program).output.contains(verified["digest"] as? String ?? "none"))

        let shown = try bench("codesign", "-d", "--entitlements", "-", program)
        let list = try PropertyListSerialization.propertyList(from: Data(shown.output.utf8), format: nil)
        let dictionary = try #require(list as? [String: Any])
        #expect(dictionary["application-identifier"] as? String == "\(team).com.example.mail")
        #expect(
            dictionary["keychain-access-groups"] as? [String]
                == ["\(team).com.example.shared", "\(team).com.example.mail"])

        let ran = try run(
            URL(filePath: program), [], environment: ["LATCHKEY_DEVICE": "dir:" + bench.path("embedded")])
        #expect(ran.output.contains("find: 0"), "\(ran.output)\(ran.errors)")
        #expect(try bench("codesign", "--remove", program).status == 0)
        #expect(try Data(contentsOf: URL(filePath: program)) == before)
        #expect(try bench("codesign", "--remove", program).status == 52)
    }

    @Test("a signed program is signed again only with --force, and then for any team")
    func again() throws {
        let bench = try SigningProgram()
        let (first, second) = (try bench.team(), try bench.team())
        let program = try bench.program()
        #expect(try bench("codesign", "-s", first, "-i", "com.example.mail", program).status == 0)
        let refused = try bench("codesign", "-s", second, "-i", "com.example.mail", program)
        #expect(refused.status == 58)
        #expect(refused.errors.contains("\(first).com.example.mail"))
        #expect(try bench("codesign", "-v", program, "--json").json()["team"] as? String == first)
        #expect(try bench("codesign", "-f", "-s", second, "-i", "com.example.mail", program).status == 0)
        #expect(try bench("codesign", "-v", program, "--json").json()["team"] as? String == second)
    }

    @Test("changes of the program and of the signature are each said to be what they are")
    func tampering() throws {
        let bench = try SigningProgram()
        let team = try bench.team()
        let program = try bench.program()
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", program).status == 0)
        let note = try bench.note(program)

        let changed = try bench.copy(program, "changed")
        // Behind the note there are other sections; nothing of the file is outside the digest.
        try bench.flip(changed, at: note.upperBound + 64)
        #expect(try bench("codesign", "-v", changed).status == 54)
        #expect(try bench("codesign", "-d", changed).status == 0)

        let forged = try bench.copy(program, "forged")
        let bytes = try Data(contentsOf: URL(filePath: program))
        let identifier = try #require(
            bytes.range(of: Data("com.example.mail".utf8), in: Int(note.lowerBound)..<Int(note.upperBound)))
        try bench.flip(forged, at: UInt64(identifier.lowerBound + 12))
        #expect([53, 55].contains(try bench("codesign", "-v", forged).status))

        let damaged = try bench.copy(program, "damaged")
        try bench.flip(damaged, at: note.lowerBound + 1)
        #expect(try bench("codesign", "-v", damaged).status == 53)
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", damaged).status == 58)
        #expect(try bench("codesign", "-f", "-s", team, "-i", "com.example.mail", damaged).status == 0)
        #expect(try bench("codesign", "-v", damaged).status == 0)
        try bench.flip(damaged, at: note.lowerBound + 1)
        #expect(try bench("codesign", "--remove", damaged).status == 0)
        #expect(try bench("codesign", "-v", damaged).status == 52)
    }

    @Test(
        "strip leaves the signature in the file; it is another file, though, and wants to be signed again",
        .enabled(if: FileManager.default.isExecutableFile(atPath: strip), "strip is part of binutils"))
    func stripped() throws {
        let bench = try SigningProgram()
        let team = try bench.team()
        let program = try bench.program()
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", program).status == 0)
        #expect(try run(URL(filePath: Self.strip), [program]).status == 0)
        #expect(try bench("codesign", "-d", program).output.contains("\(team).com.example.mail"))
        #expect(try bench("codesign", "-v", program).status == 54)
        #expect(try bench("codesign", "-f", "-s", team, "-i", "com.example.mail", program).status == 0)
        #expect(try bench("codesign", "-v", program).status == 0)
    }

    @Test("scripts, interpreters under any name and files that are not programs are refused, with what to do instead")
    func interpreters() throws {
        let bench = try SigningProgram()
        let team = try bench.team()
        let script = try bench.write("#!/bin/sh\nexit 0\n", "script")
        let copied = try bench.copy("/bin/sh", "mail")
        let named = try bench.copy(Installation.program("SignedApp").path, "python3.11")
        let link = bench.path("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: named)
        for program in [script, copied, named, link, "/bin/sh"] {
            for place in [[], ["--detached"]] {
                let refused = try run(
                    try Installation.program("latchkey"),
                    ["codesign", "-s", team, "-i", "com.example.mail", "--device", bench.path("device")] + place
                        + [program], environment: ["XDG_DATA_HOME": bench.path("data")])
                #expect(refused.status == 57, "\(program)")
                #expect(refused.errors.contains("do:  Sign a program of your own"))
            }
        }
        let text = try bench.write("hello\n", "text")
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", text).status == 57)
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", bench.directory).status == 32)
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", bench.path("none")).status == 32)
    }

    @Test("a program without room for a signature gets a detached one, on this device or in a file")
    func detached() throws {
        let bench = try SigningProgram()
        let team = try bench.team()
        let program = try bench.copy("/bin/true", "tool")
        let before = try Data(contentsOf: URL(filePath: program))
        let refused = try bench("codesign", "-s", team, "-i", "com.example.tool", program)
        #expect(refused.status == 57)
        #expect(refused.errors.contains("--detached"))
        let signed = try bench("codesign", "-s", team, "-i", "com.example.tool", "--detached", "--json", program)
        let file = try #require(try signed.json()["detached"] as? String)
        #expect(file.hasPrefix(bench.path("device/signatures/")) && file.hasSuffix(".lksig"))
        #expect(try Data(contentsOf: URL(filePath: program)) == before)
        #expect(try bench("codesign", "-v", program, "--json").json()["detached"] as? String == file)
        #expect(try bench("codesign", "-s", team, "-i", "com.example.tool", "-D", program).status == 58)
        #expect(try bench("codesign", "-f", "-s", team, "-i", "com.example.tool", "-D", program).status == 0)

        let output = bench.path("tool.lksig")
        let elsewhere = try bench(
            "codesign", "-f", "-s", team, "-i", "com.example.tool", "-D", "--output", output, program)
        #expect(elsewhere.status == 0)
        #expect(FileManager.default.fileExists(atPath: output))
        // It belongs to these very bytes.
        try bench.flip(program, at: UInt64(before.count - 1))
        #expect(try bench("codesign", "-v", program).status == 52)
        try bench.flip(program, at: UInt64(before.count - 1))
        try bench.flip(file, at: 40)
        #expect([53, 55].contains(try bench("codesign", "-v", program).status))
        #expect(try bench("codesign", "--remove", program).status == 0)
        #expect(try bench("codesign", "-v", program).status == 52)
    }

    @Test("a signature inside and another beside, for different applications, are never made, nor believed")
    func contradiction() throws {
        let bench = try SigningProgram()
        let team = try bench.team()
        let program = try bench.program()
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", program).status == 0)
        #expect(try bench("codesign", "-s", team, "-i", "com.example.other", "-D", program).status == 56)
        // The same application may have both.
        #expect(try bench("codesign", "-s", team, "-i", "com.example.mail", "-D", program).status == 0)
        #expect(try bench("codesign", "-v", program).status == 0)
        #expect(try bench("codesign", "-f", "-s", team, "-i", "com.example.other", program).status == 56)
        // Put there by hand:
        let other = try bench.copy(program, "other")
        let device = bench.path("device2")
        let output = bench.path("other.lksig")
        #expect(try bench("codesign", "--remove", program).status == 0)
        let beside = try bench("codesign", "-s", team, "-i", "com.example.other", "-D", "--json", program)
        let name = try #require(try beside.json()["detached"] as? String)
        try FileManager.default.copyItem(atPath: name, toPath: output)
        #expect(try bench("codesign", "-v", other).status == 56)
        #expect(!FileManager.default.fileExists(atPath: device))
    }

    @Test("a wrong passphrase, a missing key, another team's key and a key that others can read sign nothing")
    func keys() throws {
        let bench = try SigningProgram()
        let team = try bench.team(passphrase: "right")
        let other = try bench.team()
        let program = try bench.program()
        func sign(_ arguments: [String], input: String = "right\n") throws -> Ending {
            try run(
                try Installation.program("latchkey"),
                ["codesign", "-i", "com.example.mail", "--device", bench.path("device")] + arguments + [program],
                input: Data(input.utf8), environment: ["XDG_DATA_HOME": bench.path("data")])
        }
        #expect(try sign(["-s", team], input: "wrong\n").status == 61)
        #expect(try sign(["-s", team], input: "").status == 31)
        #expect(try sign(["-s", "AAAAAAAAAA"]).status == 60)
        #expect(try sign(["-s", "nonsense"]).status == 64)
        #expect(try sign(["-s", team, "--key", bench.keyPath(other)]).status == 60)
        #expect(try sign(["--key", try bench.write("no key", "text")]).status == 60)
        for mode in [0o640, 0o604, 0o620, 0o602] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: bench.keyPath(team))
            let refused = try sign(["-s", team])
            #expect(refused.status == 60)
            #expect(refused.errors.contains("chmod 600"))
        }
        #expect(try bench("codesign", "-v", program).status == 52)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.keyPath(team))
        #expect(try sign(["-s", team]).status == 0)
        #expect(try sign(["-f", "--key", bench.keyPath(other)]).status == 0)
        #expect(try bench("codesign", "-v", program, "--json").json()["team"] as? String == other)
    }

    @Test("a team's files are for the right eyes, and are never written over")
    func teamFiles() throws {
        let bench = try SigningProgram()
        let made = try bench("team", "create", "--name", "Example", "--output", bench.path("keys"), input: "x\n")
        #expect(made.status == 0)
        let names = try FileManager.default.contentsOfDirectory(atPath: bench.path("keys")).sorted()
        try #require(names.count == 2)
        let modes = try names.map { name in
            try FileManager.default.attributesOfItem(atPath: bench.path("keys/" + name))[.posixPermissions] as? Int
        }
        #expect(names.map { $0.suffix(4) } == [".key", "team"])
        #expect(modes == [0o600, 0o644])
        let key = try String(contentsOfFile: bench.path("keys/" + names[0]), encoding: .utf8)
        #expect(key.hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----"))
        let team = try String(contentsOfFile: bench.path("keys/" + names[1]), encoding: .utf8)
        #expect(team.hasPrefix("Name: Example\n") && !team.contains("PRIVATE"))
        for part in ["team trust", "codesign --team", String(names[0].prefix(10))] {
            #expect(made.output.contains(part))
        }
        let open = try bench("team", "create", "--no-passphrase", "--json").json()
        let path = try #require(open["key"] as? String)
        #expect(try String(contentsOfFile: path, encoding: .utf8).hasPrefix("-----BEGIN PRIVATE KEY-----"))
        #expect(try bench("team", "create", input: "").status == 31)
        #expect(try bench("team", "create", input: "\n").status == 31)
        #expect(try bench("team", "create", "--no-passphrase", "--output", "/dev/null/x").status == 1)
    }

    @Test("entitlements that no program is signed with, through the command line")
    func entitlements() throws {
        let bench = try SigningProgram()
        let team = try bench.team()
        let program = try bench.program()
        func file(_ value: String) throws -> String {
            try bench.write(
                "<plist version=\"1.0\"><dict><key>keychain-access-groups</key>\(value)</dict></plist>",
                "e.entitlements")
        }
        for value in ["<array><string>com.example.mail</string></array>", "<real>1</real>", "<nonsense/>"] {
            let refused = try bench(
                "codesign", "-s", team, "-i", "com.example.mail", "--entitlements", file(value), program)
            #expect(refused.status == 59)
        }
        let many = (0..<250).map { "<string>\(team).\(String(repeating: "x", count: 100))\($0)</string>" }.joined()
        #expect(
            try bench(
                "codesign", "-s", team, "-i", "com.example.mail", "--entitlements", file("<array>\(many)</array>"),
                program
            ).status == 59)
        #expect(
            try bench("codesign", "-s", team, "-i", "a", "--entitlements", bench.path("none"), program).status == 32)
        #expect(try bench("codesign", "-v", program).status == 52)
    }
}
