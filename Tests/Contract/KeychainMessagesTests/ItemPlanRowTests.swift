import LatchkeyAccessControl
import LatchkeyBackupItems
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

@Suite("Rows of a backup's plan")
struct ItemPlanRowTests {
    private static let verdicts: [(text: String, verdict: ItemPlanRow.Verdict, withoutPassword: String)] = [
        ("any-device", .known(.anyDevice), "this-device"), ("this-device", .known(.thisDevice), "this-device"),
        ("passcodeSet", .known(.leftOut(.passcodeSet)), "passcodeSet"),
        ("untilReboot", .known(.leftOut(.untilReboot)), "untilReboot"),
        ("enclaveKey", .known(.leftOut(.enclaveKey)), "enclaveKey"),
        ("accessControl", .known(.leftOut(.accessControl)), "accessControl"),
        ("token", .known(.leftOut(.token)), "token"), ("sharingGroup", .known(.leftOut(.sharingGroup)), "sharingGroup"),
        ("systemBound", .known(.leftOut(.systemBound)), "systemBound"), ("locked", .locked, "locked"),
        ("undecodable", .undecodable, "undecodable"),
    ]

    /// The texts are on the socket, and in JSON.
    @Test("verdicts have these texts, and mean this without a password")
    func texts() {
        for row in Self.verdicts {
            #expect(row.verdict.text == row.text && ItemPlanRow.Verdict(text: row.text) == row.verdict)
            #expect(row.verdict.withoutPassword.text == row.withoutPassword)
        }
        #expect(Self.verdicts.count == ItemVerdict.Reason.allCases.count + 4)
        for text in ["", "any", "withheld", "Locked"] { #expect(ItemPlanRow.Verdict(text: text) == nil) }
    }

    /// As releases with texts in place of types wrote it.
    @Test("the bytes of a row are those of before")
    func bytes() throws {
        let row = ItemPlanRow(
            accessGroup: "g", itemClass: .certificate, accessible: .afterFirstUnlockThisDeviceOnly,
            verdict: .known(.thisDevice), count: 7)
        let body = MessageCoding.encode([row], to: PlanItems.self).body
        for text in ["g", "cert", "cku", "this-device"] {
            let value: [UInt8] = [0x0C, UInt8(text.utf8.count)] + Array(text.utf8)
            #expect(body.indices.contains { body[$0...].starts(with: value) }, "\(text)")
        }
    }
}
