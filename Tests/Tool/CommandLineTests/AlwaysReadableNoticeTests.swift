import ArgumentParser
import LatchkeyAccessControl
import LatchkeyCommandLineTool
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import Testing

@Suite("The notice about items that are never locked")
struct AlwaysReadableNoticeTests {
    private func request(
        _ operation: ItemOperation, _ query: [QueryPair], changes: [QueryPair] = []
    ) -> ItemRequest {
        ItemRequest(operation: operation, query: query, changes: changes, wantsResult: false)
    }

    @Test(
        "is given for the two classes, named directly or by an access control",
        arguments: [("dk", true), ("dku", true), ("ck", false), ("ak", false), ("akpu", false), ("cku", false)])
    func classes(code: String, isDue: Bool) throws {
        let pair = QueryPair("pdmn", .string(code))
        #expect(AlwaysReadableNotice.isDue(for: request(.add, [pair])) == isDue)
        let options = try ConditionOptions.parse(["--require", "passcode"])
        let control = try #require(try options.pair(accessible: code))
        #expect(AlwaysReadableNotice.isDue(for: request(.add, [control])) == isDue)
        guard case .reference(_, let bytes) = control.value else { return }
        #expect(
            AlwaysReadableNotice.isDue(for: CreateEnclaveKey(under: try AccessControl(serialised: bytes))) == isDue)
    }

    @Test("is about what is stored, not about what is looked for")
    func operations() {
        let always = [QueryPair("pdmn", .string("dk"))]
        #expect(!AlwaysReadableNotice.isDue(for: request(.find, always)))
        #expect(!AlwaysReadableNotice.isDue(for: request(.delete, always)))
        #expect(!AlwaysReadableNotice.isDue(for: request(.update, always, changes: [QueryPair("labl", .string("x"))])))
        #expect(AlwaysReadableNotice.isDue(for: request(.update, [], changes: always)))
        #expect(!AlwaysReadableNotice.isDue(for: request(.add, [QueryPair("labl", .string("dk"))])))
        #expect(!AlwaysReadableNotice.isDue(for: request(.add, [QueryPair("accc", .string("dk"))])))
    }
}
