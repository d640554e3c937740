import LatchkeyItemModel
import Testing

@Suite("Private groups are taken apart, and groups that only look like one are not")
struct OwnersGroupTests {
    private static let print = "0123456789abcdef0123"

    static let groups: [(group: String, program: String?)] = [
        ("unsigned.mail.\(print)", "mail"), ("unsigned.python3.11.\(print)", "python3.11"),
        ("unsigned.elsewhere.mail.\(print)", "mail"), ("unsigned.latchkey.\(print)", "latchkey"),
        ("unsigned.elsewhere.latchkey.\(print)", "latchkey"),
        ("unsigned.elsewhere%2Elatchkey.\(print)", "elsewhere.latchkey"),
        ("unsigned.elsewhere%252Elatchkey.\(print)", "elsewhere%2Elatchkey"),
        ("unsigned.elsewhere.\u{301}mail.\(print)", "\u{301}mail"),
        ("unsigned.latchkey.evil.\(print)", "latchkey.evil"), ("unsigned.evil.latchkey.\(print)", "evil.latchkey"),
        ("unsigned.mail.0", nil), ("unsigned.mail.\(print)0", nil), ("unsigned.mail.0123456789ABCDEF0123", nil),
        ("unsigned.\(print)", nil), ("unsigned..\(print)", nil), ("unsigned.elsewhere..\(print)", nil),
        ("TEAM.mail.\(print)", nil), ("org.latchkey.owner", nil), ("", nil), ("unsigned.mail", nil),
    ]

    @Test("the name of the program", arguments: groups)
    func program(_ group: String, _ program: String?) {
        #expect(PrivateGroup(group)?.program == program)
    }

    @Test(
        "a group whose name is escaped is also looked for under the name it had before",
        arguments: [
            ("unsigned.elsewhere%2Email.\(print)", ["unsigned.elsewhere.mail.\(print)"]),
            ("unsigned.elsewhere%252Email.\(print)", ["unsigned.elsewhere%2Email.\(print)"]),
            ("unsigned.elsewhere.mail.\(print)", []), ("unsigned.elsewhere.\(print)", []),
            ("unsigned.mail.\(print)", []), ("TEAM.elsewhere%2E", []),
        ])
    func spellings(_ group: String, _ former: [String]) {
        #expect(PrivateGroup.spellings(of: group) == [group] + former)
    }

    @Test("the tool's former home is the group of a program at a known path that is called latchkey, and no other name")
    func formerHomes() {
        let homes = Self.groups.map(\.group).filter(OwnersGroup.isFormerHome)
        #expect(homes == ["unsigned.latchkey.\(Self.print)"])
    }
}
