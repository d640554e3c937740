import Foundation
import Testing

@Suite("Passwords through the command line, the daemon and the enclave")
struct PasswordTests {
    @Test("a password is added, found, replaced and deleted")
    func lifeOfAPassword() throws {
        let device = try ThrowawayDevice.unlocked()
        #expect(try device("add-generic-password -s mail -a alice -w", input: "first").status == 0)
        #expect(try device("find-generic-password -s mail -w").output == "first\n")
        #expect(try device("add-generic-password -s mail -a alice", input: "second").status == 45)
        #expect(try device("find-generic-password -s mail -w").output == "first\n")
        #expect(try device("add-generic-password -s mail -a alice -U -j new", input: "second\n").status == 0)
        let found = try device("find-generic-password -s mail -g --json").json()
        #expect(found["v_Data"] as? String == "second")
        #expect(found["icmt"] as? String == "new")
        #expect(found["labl"] as? String == "mail")
        #expect(try device("delete-generic-password -s mail").status == 0)
        #expect(try device("find-generic-password -s mail").status == 44)
        #expect(try device("delete-generic-password -s mail").status == 44)
    }

    @Test("attributes are shown, the password only when asked for")
    func passwordsAreNotShown() throws {
        let device = try ThrowawayDevice.unlocked()
        try device(
            "add-internet-password -s h.example -a bob -P 8443 -r https -p /x -d realm -t form -w", input: "s3cret")
        for command in [
            "find-internet-password -s h.example", "dump-keychain", "item find class=inet", "status", "explain",
        ] {
            for option in ["", " --json"] {
                let ending = try device(command + option)
                #expect(ending.status == 0)
                #expect(!(ending.output + ending.errors).contains("s3cret"))
            }
        }
        let found = try device("find-internet-password -s h.example -r htps -P 8443 --json").json()
        #expect(found["port"] as? Int == 8443)
        #expect(found["path"] as? String == "/x")
        #expect(found["sdmn"] as? String == "realm")
        #expect(try device("find-internet-password -a bob -g").output.contains("password: \"s3cret\""))
        #expect(try device("dump-keychain -d").output.contains("s3cret"))
    }

    @Test("bytes go in and come out as they are, whatever they are; hexadecimal is written if it is asked for")
    func exactBytes() throws {
        let device = try ThrowawayDevice.unlocked()
        let file = device.directory + "-bytes"
        let copy = device.directory + "-copy"
        defer { for path in [file, copy] { try? FileManager.default.removeItem(atPath: path) } }
        let secrets: [[UInt8]] = [
            Array("-----BEGIN KEY-----\nabc\n-----END KEY-----\n".utf8), Array("a\nb".utf8), Array("a\r\nb\r\n".utf8),
            [0, 1, 0xFF, 0x0A], [0x0A], Array("\u{1b}[2J\n".utf8), Array("one line".utf8),
            (0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 167) },
        ]
        for (number, secret) in secrets.enumerated() {
            try Data(secret).write(to: URL(filePath: file))
            let isExact = secret == [0x0A] ? "--raw" : ""
            let lines = [
                "\"$0\" add-generic-password -s \(number) -w \(isExact) --device \"$1\" <\"$2\"",
                "\"$0\" find-generic-password -s \(number) --raw --device \"$1\" | cmp - \"$2\"",
                "\"$0\" item find class=genp service=\(number) -o - --device \"$1\" | cmp - \"$2\"",
                "\"$0\" find-generic-password -s \(number) -o \"$3\" --device \"$1\" && cmp \"$3\" \"$2\"",
                "[ $(stat -c %a \"$3\") = 600 ] && rm \"$3\"",
            ]
            let ending = try run(
                URL(filePath: "/bin/bash"),
                [
                    "-c", "set -e -o pipefail\n" + lines.joined(separator: "\n"),
                    try Installation.program("latchkey").path, device.directory, file, copy,
                ])
            #expect(ending.status == 0, "\(number): \(ending.errors)")
            let digits = secret.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() + "\n"
            #expect(try device("find-generic-password -s \(number) --hex").output == digits)
        }
        let json = try device("find-generic-password -s 3 -w --json").json()
        #expect((json["v_Data"] as? [String: String])?["hex"] == "0001ff0a")
        #expect(try device("find-generic-password -s 3 -g").output.contains("4 bytes, not text"))
        #expect(try device("find-generic-password -s 1 -w").output == "a\nb")
        #expect(try device("find-generic-password -s 6 -w").output == "one line\n")
        try Data().write(to: URL(filePath: copy))
        #expect(try device("find-generic-password -s 1 -o \(copy)").status == 1)
        #expect(try device("item find class=genp --raw MatchLimit=all").status == 64)
        #expect(try device("find-generic-password -s 1 --raw --hex").status == 64)
    }

    @Test("hexadecimal in, an empty secret never")
    func hexadecimalAndEmpty() throws {
        let device = try ThrowawayDevice.unlocked()
        #expect(try device("add-generic-password -s bin -X", input: "00ff10\n").status == 0)
        #expect(try device("find-generic-password -s bin --hex").output == "00ff10\n")
        #expect(try device("add-generic-password -s bad -X", input: "0g").status == 31)
        for line in [
            "add-generic-password -s empty", "add-internet-password -s empty -w", "add-generic-password -s bin -U",
            "item add class=genp service=empty", "item update class=genp service=bin --secret",
        ] {
            for input in ["", "\n"] {
                let ending = try device(line, input: input)
                #expect(ending.status == 31, "\(line)")
                #expect(ending.errors.contains("nothing was changed"))
            }
        }
        #expect(try device("find-generic-password -s empty").status == 44)
        #expect(try device("find-generic-password -s bin --hex").output == "00ff10\n")
        #expect(try device("item add class=genp service=none --without-secret").status == 0)
        #expect(try device("find-generic-password -s none").status == 0)
        for option in ["-w", "--raw", "-o /nonexistent/file"] {
            #expect(try device("find-generic-password -s none \(option)").status == 44)
        }
    }

    @Test("a secret in the arguments is refused, not repeated, and nothing is stored")
    func secretInArguments() throws {
        let device = try ThrowawayDevice.unlocked()
        for arguments in [
            ["-w", "hunter2"], ["-whunter2"], ["-w=hunter2"], ["-p", "hunter2"], ["--password=hunter2"],
        ] {
            let ending = try device(["add-generic-password", "-s", "x"] + arguments, input: "real")
            #expect(ending.status == 30)
            #expect(!(ending.output + ending.errors).contains("hunter2"))
            #expect(ending.errors.contains("--secret-fd"))
        }
        for arguments in [["hunter2"], ["--hunter2"]] {
            let ending = try device(["add-generic-password", "-s", "x"] + arguments, input: "real")
            #expect(ending.status == 64)
            #expect(!(ending.output + ending.errors).contains("hunter2"))
        }
        #expect(try device("item add class=genp svce=x v_Data=hunter2").status == 30)
        #expect(try device("find-generic-password -s x").status == 44)
    }

    @Test("a delete that fits several items deletes none, unless all are meant")
    func ambiguousDelete() throws {
        let device = try ThrowawayDevice.unlocked()
        for account in ["a", "b", "c"] { try device("add-generic-password -s s -a \(account)", input: "x") }
        #expect(try device("delete-generic-password -s s").status == 38)
        #expect(try device("delete-generic-password -s s -a b").status == 0)
        #expect(try device("delete-generic-password -s s --all --json").json()["deleted"] as? Int == 2)
    }

    @Test("a delete or an update that names no item is refused, unless all are meant")
    func withoutSelector() throws {
        let device = try ThrowawayDevice.unlocked()
        for account in ["a", "b"] { try device("add-generic-password -s s -a \(account)", input: "x") }
        for line in [
            "delete-generic-password", "delete-generic-password --all", "delete-generic-password --accessible ak --all",
            "delete-internet-password --synchronizable --all", "item delete class=genp", "item delete",
            "item delete class=genp accessible=when-unlocked sync=any", "item update class=genp --set labl=x",
        ] {
            let ending = try device(line, input: "x")
            #expect(ending.status == 64, "\(line)")
            #expect(ending.errors.contains("and nothing was"), "\(ending.errors)")
        }
        #expect(try device("item update class=genp --set labl=x --all --json").json()["changed"] as? Int == 2)
        #expect(try device("item delete class=genp --all --json").json()["deleted"] as? Int == 2)
    }

    @Test("any query: add, find, update and delete by key=value")
    func items() throws {
        let device = try ThrowawayDevice.unlocked()
        let added = try device(
            "item add class=generic-password account=a service=s accessible=after-first-unlock gena=hex:0102",
            input: "x")
        #expect(added.status == 0)
        #expect(try device("item find class=genp ReturnData=true").output == "\"x\"\n")
        #expect(try device("item update class=genp svce=s --set labl=new icmt=text --secret", input: "y").status == 0)
        let found = try device("item find class=genp ReturnAttributes=true ReturnData=true --json").json()
        #expect(found["labl"] as? String == "new")
        #expect(found["pdmn"] as? String == "ck")
        #expect(found["v_Data"] as? String == "y")
        #expect((found["gena"] as? [String: String])?["hex"] == "0102")
        #expect(try device("item update class=genp svce=none --set labl=z").status == 44)
        #expect(try device("item find class=genp r_Data=true u_Unknown=x").status == 64)
        #expect(try device("item find class=genp port=int:5").status == 40)
        #expect(try device("item delete class=genp svce=s --json").json()["deleted"] as? Int == 1)
    }

    @Test("another program's group asks for the passcode each time, and the owner's access is on record")
    func foreignGroup() throws {
        let device = try ThrowawayDevice.unlocked()
        let find = "find-generic-password -s s --access-group com.example.mail"
        #expect(try device(find).status == 31)
        #expect(try device(find, input: "999999\n").status == 51)
        #expect(try device(find, input: "246810\n").status == 44)
        let add = try device("add-generic-password -s s --access-group com.example.mail", input: "246810\nsecret")
        #expect(add.status == 0, "\(add.errors)")
        #expect(try device(find + " -w", input: "246810\n").output == "secret\n")
        #expect(try device("find-generic-password -s s").status == 44)
        #expect(try device("explain").output.contains("com.example.mail"))
    }

    @Test("a secret from a descriptor, while standard input has the passcode")
    func descriptors() throws {
        let device = try ThrowawayDevice.unlocked()
        let file = device.directory + "-secret"
        try Data("from a file\n".utf8).write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let latchkey = try Installation.program("latchkey").path
        let add = try run(
            URL(filePath: "/bin/sh"),
            [
                "-c",
                "exec '\(latchkey)' add-generic-password -s fd --secret-fd 3 --device '\(device.directory)' 3<'\(file)'",
            ])
        #expect(add.status == 0, "\(add.errors)")
        #expect(try device("find-generic-password -s fd -w").output == "from a file\n")
    }
}
