import Foundation
import LatchkeyCommandLineTool
import LatchkeySecretMemory
import LatchkeyTestSupport
import Testing

/// Parts of a file that an import cannot take: each is named by line and column.
@Suite("Imports that would lose something")
struct ImportLossTests {
    private static func fixture(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: PackageFolder.file("Fixtures/Imports/\(name).csv")), as: UTF8.self)
    }

    private static func read(_ text: String, _ format: TransferFormat = .csv) throws -> ImportedFile {
        try format.read(SecretBox(text))
    }

    @Test("Proton's account is the email where the username is empty, so that two accounts of a site are two items")
    func accountsInEmail() throws {
        let file = try Self.read(Self.fixture("accounts-in-email"))
        #expect(file.passwords.map(\.account) == ["me@home.example", "me@work.example"])
        #expect(file.passwords.map(\.secret.text) == ["secret1", "secret2"])
        #expect(file.left.isEmpty, "\(file.notes)")
    }

    @Test(
        "an email beside a username is named unless it says the same",
        arguments: [("ann", "ann@x.example", true), ("ann", "ann", false), ("ann", "", false), ("", "a@x", false)])
    func emailBesideUsername(_ username: String, _ email: String, _ isLeft: Bool) throws {
        let file = try Self.read("url,email,username,password\nhttps://a.example,\(email),\(username),s\n")
        #expect(file.passwords.map(\.account) == [username.isEmpty ? email : username])
        #expect(file.left == (isLeft ? [LeftPart(line: 2, .columns(["email"]))] : []))
    }

    @Test("a file with emails and no usernames is read")
    func onlyEmail() throws {
        let file = try Self.read("url,email,password\nhttps://a.example,ann@x.example,s\n")
        #expect(file.passwords.map(\.account) == ["ann@x.example"] && file.left.isEmpty)
    }

    @Test("columns with a value that no attribute takes are named by line, and never their values")
    func columnsNotTaken() throws {
        let file = try Self.read(Self.fixture("columns-not-taken"))
        #expect(file.passwords.count == 1)
        #expect(file.left == [LeftPart(line: 2, .columns(["PIN", "recovery code"]))])
        #expect(file.notes == ["Line 2: the columns PIN and recovery code were not imported."])
        let blank = try Self.read("url,username,password,PIN\nhttps://a.example,a,b,\nhttps://b.example,a,b,\" \"\n")
        #expect(blank.left.isEmpty)
    }

    @Test("a second note, title or address, and the realm of an item that is of no server, are not taken either")
    func secondColumns() throws {
        let file = try Self.read(
            "url,username,password,name,title,note,extra,httpRealm\nnot a url,a,b,n,t,one,two,Staff\n")
        #expect(file.left == [LeftPart(line: 2, .columns(["title", "extra", "httpRealm"]))])
    }

    @Test(
        "the bookkeeping of known programs is not named, and nothing else of theirs is passed over",
        arguments: [
            (
                "\"url\",\"username\",\"password\",\"httpRealm\",\"formActionOrigin\",\"guid\",\"timeCreated\",\"timeLastUsed\",\"timePasswordChanged\"",
                "\"https://a.example\",\"u\",\"p\",,\"https://a.example\",\"{1}\",\"1\",\"2\",\"3\"", [String]()
            ),
            (
                "\"Group\",\"Title\",\"Username\",\"Password\",\"URL\",\"Notes\",\"TOTP\",\"Icon\",\"Last Modified\",\"Created\"",
                "\"Root\",\"t\",\"u\",\"p\",\"https://a.example\",\"n\",\"otpauth://x\",\"0\",\"2026\",\"2026\"",
                ["TOTP"]
            ),
            (
                "folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp",
                "Social,1,login,n,m,PIN: 1,0,https://a.example,u,p,", ["fields"]
            ),
            (
                "type,name,url,email,username,password,note,totp,createTime,modifyTime,vault",
                "login,n,https://a.example,,u,p,,otpauth://x,1,2,Personal", ["totp"]
            ),
            (
                "url,username,password,totp,extra,name,grouping,fav", "https://a.example,u,p,JBSW,n,t,Work,1", ["totp"]
            ),
            (
                "username,username2,username3,title,password,note,url,category,otpUrl",
                "u,second,,t,p,n,https://a.example,Work,", ["username2"]
            ),
            // The same names in a file of no known program.
            ("url,username,password,guid,vault", "https://a.example,u,p,{1},Personal", ["guid", "vault"]),
        ])
    func bookkeeping(_ names: String, _ record: String, _ left: [String]) throws {
        let file = try Self.read(names + "\n" + record + "\n")
        #expect(file.passwords.count == 1)
        #expect(file.left == (left.isEmpty ? [] : [LeftPart(line: 2, .columns(left))]), "\(file.notes)")
    }

    @Test("of two records that make one item the first stays and the other is named; the same again loses nothing")
    func oneKeyTwoSecrets() throws {
        let file = try Self.read(Self.fixture("one-key-two-secrets"))
        #expect(file.passwords.map(\.secret.text) == ["s1"] && file.passwords.map(\.label) == ["router"])
        #expect(file.left == [LeftPart(line: 3, .sameItem(asLine: 2))])
        #expect(!file.notes.joined().contains("s2") && !file.notes.joined().contains("admin"))
        let twice = try Self.read("name,url,username,password\na,https://h,u,s\na,https://h,u,s\nb,https://h,u,s\n")
        #expect(twice.passwords.count == 1)
        #expect(twice.left == [LeftPart(line: 4, .sameItem(asLine: 2))], "another name is another content")
        // The keychain compares bytes: these are two accounts.
        let spellings = try Self.read("url,username,password\nhttps://h,\u{E9},1\nhttps://h,e\u{301},2\n")
        #expect(spellings.passwords.count == 2 && spellings.left.isEmpty)
    }

    @Test("a machine and login that stand twice in a netrc file are named, too")
    func netrc() throws {
        let file = try Self.read("machine a login b password 1\nmachine a login b password 2\n", .netrc)
        #expect(file.passwords.map(\.secret.text) == ["1"])
        #expect(file.left == [LeftPart(line: 2, .sameItem(asLine: 1))])
    }

    @Test("a long name of a column is cut, and its hidden characters are escaped")
    func longNames() throws {
        let name = String(repeating: "x", count: 500) + "\u{1B}[2J"
        let file = try Self.read("url,username,password,\"\u{1B}[2J\",\(name)\nhttps://h,u,p,1,2\n")
        let note = try #require(file.notes.first)
        #expect(note.utf8.count < 250 && !note.contains("\u{1B}"), "\(note)")
    }
}
