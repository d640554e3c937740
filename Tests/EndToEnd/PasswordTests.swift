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

    @Test("bytes that are no text come back in hexadecimal")
    func binarySecret() throws {
        let device = try ThrowawayDevice.unlocked()
        #expect(try device("add-generic-password -s bin -X", input: "00ff10\n").status == 0)
        #expect(try device("find-generic-password -s bin -w").output == "00ff10\n")
        let json = try device("find-generic-password -s bin -w --json").json()
        #expect((json["v_Data"] as? [String: String])?["hex"] == "00ff10")
        #expect(try device("add-generic-password -s bad -X", input: "0g").status == 31)
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
