import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

@Suite("Exports of browsers")
struct BrowserColumnsTests {
    private func read(_ text: String) throws -> ImportedFile {
        try withBytes(text) { try BrowserColumns.read($0) }
    }

    @Test("Chrome: the parts of the URL become the parts of an internet password")
    func chrome() throws {
        let file = try read(
            "name,url,username,password,note\nShop,https://me@Shop.Example.org:8443/log/in?x=1#y,ann,\"p,\"\"w\",gift\n"
        )
        let password = try #require(file.passwords.first)
        #expect(
            password.place
                == .server(name: "shop.example.org", protocolCode: "htps", port: 8443, path: "/log/in", realm: ""))
        #expect(password.account == "ann")
        #expect(password.label == "Shop")
        #expect(password.comment == "gift")
        #expect(password.secret.text == "p,\"w")
        #expect(file.notes == ["Line 2: the user, the query and the fragment of the URL were not imported."])
    }

    @Test(
        "what an item cannot keep of a URL is named by its line, and not repeated",
        arguments: [
            ("https://h/p", []), ("https://h:8443/?#", []), ("a name?x#y@z", []), ("https://@h", []),
            ("https://u:SECRET@h/", ["the user of the URL was"]), ("https://h/?t=SECRET", ["the query of the URL was"]),
            ("https://h/#SECRET", ["the fragment of the URL was"]), ("https://h#a?b", ["the fragment of the URL was"]),
            ("android://c2ln@org.example.app/", ["the scheme and the user of the URL were"]),
            ("\"https://a,https://b\"", ["the URLs behind the first were"]),
            ("https://h:99999/SECRET", ["has an impossible port, so the item is a generic password"]),
            ("https:///SECRET", ["has no host that can be read, so the item is a generic password"]),
        ])
    func leftOut(_ url: String, _ parts: [String]) throws {
        let file = try read("url,username,password\nhttps://a,b,c\n\(url),x,y\n")
        #expect(file.notes.count == parts.count, "\(file.notes)")
        for (note, part) in zip(file.notes, parts) {
            #expect(note.hasPrefix("Line 3: ") && note.contains(part) && !note.contains("SECRET"), "\(note)")
        }
    }

    @Test("the notes about URLs end after ten lines, and what this tool wrote itself needs none")
    func limits() throws {
        let rows = (0..<12).map { "https://h/?\($0),x,y\n" }.joined()
        let notes = try read("url,username,password\n" + rows).notes
        #expect(notes.count == 11)
        #expect(notes.last == "2 further notes of this kind left out here.")
        let own = try read("url,username,password,latchkey\nhttps://h/?x,y,z,class=genp\n")
        #expect(own.notes.isEmpty, "\(own.notes)")
    }

    @Test("Firefox: the realm of HTTP authentication is the security domain")
    func firefox() throws {
        let file = try read(
            """
            "url","username","password","httpRealm","formActionOrigin","guid"
            "http://intra.example.org","bob","secret","Staff only","","{1}"

            """)
        let password = try #require(file.passwords.first)
        #expect(
            password.place
                == .server(
                    name: "intra.example.org", protocolCode: "http", port: nil, path: "", realm: "Staff only"))
        #expect(password.primaryKey.contains(QueryPair("atyp", .string("http"))))
    }

    @Test("Safari: the columns are known whatever their case, and one-time codes are named as left out")
    func safari() throws {
        let file = try read(
            "Title,URL,Username,Password,Notes,OTPAuth\nA,https://a.example/,x,y,,otpauth://totp/a?secret=b\n")
        #expect(file.passwords.count == 1)
        #expect(file.notes == ["Line 2: the column OTPAuth was not imported."])
    }

    @Test("KeePassXC: groups and icons are nothing to a keychain, one-time codes are named as left out")
    func keePassXC() throws {
        let file = try read(
            """
            "Group","Title","Username","Password","URL","Notes","TOTP","Icon","Last Modified","Created"
            "Root/Mail","Mail, new","ann","p""w","https://mail.example.org/login","two
            lines","otpauth://totp/x","0","2026-01-02T03:04:05Z","2026-01-01T03:04:05Z"

            """)
        let password = try #require(file.passwords.first)
        #expect(
            password.place
                == .server(name: "mail.example.org", protocolCode: "htps", port: nil, path: "/login", realm: ""))
        #expect(password.label == "Mail, new")
        #expect(password.account == "ann")
        #expect(password.comment == "two\nlines")
        #expect(password.secret.text == "p\"w")
        #expect(file.notes == ["Line 2: the column TOTP was not imported."])
    }

    @Test("Bitwarden: the first of several addresses, notes without a password and further fields are named")
    func bitwarden() throws {
        let file = try read(
            """
            folder,favorite,type,name,notes,fields,reprompt,login_uri,login_username,login_password,login_totp
            Social,1,login,Bird,remark,"PIN: 1",0,"https://a.example.org/in,https://b.example.org",ann,secret,JBSWY3DP
            ,,note,A note,text,,0,,,,
            ,,login,Router,,,0,192.168.0.1,admin,"x,y",

            """)
        #expect(
            file.passwords.map(\.place) == [
                .server(name: "a.example.org", protocolCode: "htps", port: nil, path: "/in", realm: ""),
                .service("192.168.0.1"),
            ])
        #expect(file.passwords.map(\.account) == ["ann", "admin"])
        #expect(file.passwords.map(\.secret.text) == ["secret", "x,y"])
        #expect(file.passwords.first?.comment == "remark")
        #expect(
            file.notes == [
                "Line 2: the columns fields and login_totp were not imported.",
                "Line 2: the URLs behind the first were not imported.",
                "Line 3: a record without a password; it was not imported.",
            ])
    }

    @Test(
        "a file is netrc by its words, and CSV by its columns; a comma decides nothing",
        arguments: [
            ("machine a login b password c,d\n", TransferFormat.netrc), ("# a, b\n\n  machine a\n", .netrc),
            ("default login a,b password c", .netrc), ("name,url,username,password\n", .csv),
            ("\u{feff}url,username,password\n", .csv), ("\u{feff}machine a,b", .netrc), ("machine,login,x\n", .csv),
            ("", .netrc), ("macdef x,y\n", .netrc),
        ])
    func guess(_ text: String, _ format: TransferFormat) {
        #expect(TransferFormat.guess(of: SecretBox(text)) == format)
    }

    @Test("a record without a usable address is a generic password, named by its address or title")
    func withoutAddress() throws {
        let file = try read("name,url,username,password\nWi-Fi,,guest,w\nX,not a url,y,z\n")
        #expect(file.passwords.map(\.place) == [.service("Wi-Fi"), .service("not a url")])
        #expect(file.passwords.map(\.itemClass) == ["genp", "genp"])
    }

    @Test("records without a password are left out and named")
    func withoutPassword() throws {
        let file = try read("url,username,password\nhttps://a.example,x,\nhttps://b.example,y,z\n")
        #expect(file.passwords.count == 1)
        #expect(file.notes == ["Line 2: a record without a password; it was not imported."])
    }

    @Test(
        "one wrong record and nothing of the file is taken",
        arguments: [
            ("", TransferFailure(.noHeader)),
            ("name,url,password\n", TransferFailure(.unknownColumns, line: 1)),
            ("url,username,password,URL\n", TransferFailure(.duplicateColumn, line: 1)),
            ("url,username,password\na,b,c\nd,e\n", TransferFailure(.wrongFieldCount, line: 3)),
            ("url,username,password\na,b,c,d\n", TransferFailure(.wrongFieldCount, line: 2)),
        ])
    func malformed(_ text: String, _ failure: TransferFailure) {
        #expect(throws: failure) { try read(text) }
    }

    @Test(
        "URLs and other texts",
        arguments: [
            ("https://a.example", "a.example"), ("HTTPS://A.Example:1/x", "a.example"), ("http://[::1]:80/", "[::1]"),
            ("android://c2ln@org.example.app/", "org.example.app"), ("https://u:p@h/", "h"), ("ftp://h?x", "h"),
            ("", nil), ("a.example", nil), ("://a", nil), ("https://", nil), ("https:///path", nil),
            ("https://a:99999", nil), ("https://a:b", nil), ("https://[::1", nil), ("https://[::1]x", nil),
            ("https://h/\u{301}p", "h"), ("https://u@\u{301}h", "\u{301}h"), ("https:/\u{301}/h", nil),
            ("https://\u{600} h", nil),
            ("ht tp://a", nil), ("https://a b/", nil),
        ] as [(String, String?)])
    func urls(_ text: String, _ host: String?) {
        #expect(URLParts(text)?.host == host)
    }
}
