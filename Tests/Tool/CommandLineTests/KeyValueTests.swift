import LatchkeyCommandLineTool
import LatchkeyPropertyListDER
import Testing

@Suite("key=value arguments")
struct KeyValueTests {
    @Test(
        "keys by raw code or name, values by type",
        arguments: [
            ("acct=\u{301}x", "acct", .string("\u{301}x")), ("acct=text:\u{301}", "acct", .string("\u{301}")),
            ("acct=alice", "acct", .string("alice")), ("account=alice", "acct", .string("alice")),
            ("AttrAccount=alice", "acct", .string("alice")), ("kSecAttrAccount=a=b", "acct", .string("a=b")),
            ("access-group=g", "agrp", .string("g")), ("svce=", "svce", .string("")),
            ("class=genp", "class", .string("genp")), ("class=internet-password", "class", .string("inet")),
            ("class=kSecClassGenericPassword", "class", .string("genp")),
            ("kSecClass=genp", "class", .string("genp")),
            ("pdmn=aku", "pdmn", .string("aku")), ("accessible=when-unlocked", "pdmn", .string("ak")),
            ("accessible=kSecAttrAccessibleAfterFirstUnlock", "pdmn", .string("ck")),
            ("port=int:8080", "port", .integer(8080)), ("port=int:-1", "port", .integer(-1)),
            ("ptcl=https", "ptcl", .string("htps")), ("ptcl=smb ", "ptcl", .string("smb ")),
            ("invi=bool:true", "invi", .boolean(true)), ("sync=true", "sync", .boolean(true)),
            ("synchronizable=any", "sync", .string("syna")), ("sync=syna", "sync", .string("syna")),
            ("gena=hex:00ff", "gena", .data([0, 255])), ("gena=hex:", "gena", .data([])),
            ("labl=text:int:5", "labl", .string("int:5")), ("labl=odd:5", "labl", .string("odd:5")),
            ("cdat=date:2001-01-01", "cdat", .date(0)), ("cdat=date:2001-01-02T00:00:01Z", "cdat", .date(86_401)),
            ("MatchLimit=all", "m_Limit", .string("m_LimitAll")), ("m_Limit=3", "m_Limit", .integer(3)),
            ("ReturnData=yes", "r_Data", .boolean(true)), ("r_Attributes=0", "r_Attributes", .boolean(false)),
        ] as [(String, String, PropertyValue)])
    func understood(_ text: String, _ key: String, _ value: PropertyValue) throws {
        let pair = try KeyValue(text)
        #expect(pair.key == key)
        #expect(pair.value == value)
    }

    @Test(
        "what is refused, and why",
        arguments: [
            ("acct", .noEqualsSign), ("=x", .noEqualsSign), ("", .noEqualsSign), ("foo=x", .unknownKey("foo")),
            ("AccessibleWhenUnlocked=x", .unknownKey("AccessibleWhenUnlocked")),
            ("v_Data=x", .secretKey("v_Data")), ("v_Data=\u{301}x", .secretKey("v_Data")),
            ("ValueData=x", .secretKey("ValueData")),
            ("kSecValueData=hex:00", .secretKey("kSecValueData")), ("binn=x", .secretKey("binn")),
            ("port=int:x", .badValue(key: "port", expected: "int: and a whole number")),
            ("gena=hex:0", .badValue(key: "gena", expected: "hex: and pairs of hexadecimal digits")),
            ("gena=hex:0g", .badValue(key: "gena", expected: "hex: and pairs of hexadecimal digits")),
            ("r_Data=maybe", .badValue(key: "r_Data", expected: "true or false")),
            ("class=thing", .badValue(key: "class", expected: "genp, inet, cert, keys or idnt")),
            ("cdat=date:2001-02-30", .badValue(key: "cdat", expected: "date: and a time like 2026-01-31T12:00:00Z")),
            ("cdat=date:yesterday", .badValue(key: "cdat", expected: "date: and a time like 2026-01-31T12:00:00Z")),
        ] as [(String, KeyValue.Failure)])
    func refused(_ text: String, _ failure: KeyValue.Failure) {
        #expect(throws: failure) { try KeyValue(text) }
    }

    @Test("every protection class by code and by name, and nothing else", arguments: AccessibleName.table.map(\.name))
    func accessible(_ name: String) throws {
        let code = try #require(AccessibleName.code(from: name))
        #expect(AccessibleName.code(from: code) == code)
        #expect(AccessibleName.readable(code) == name)
        #expect(AccessibleName.code(from: name + "x") == nil)
    }

    @Test(
        "four-character codes",
        arguments: [("ssh", "ssh ", 0x7373_6820), ("htps", "htps", 0x6874_7073)] as [(String, String, Int64)])
    func fourCharacters(_ text: String, _ code: String, _ number: Int64) {
        #expect(FourCharacterCode(text)?.text == code)
        #expect(FourCharacterCode(text)?.number == number)
    }

    @Test("texts that are not four-character codes", arguments: ["", "abcde", "ä", "a\n"])
    func noFourCharacters(_ text: String) {
        #expect(FourCharacterCode(text) == nil)
    }
}
