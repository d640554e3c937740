import LatchkeySyncCore
import Testing

@Suite struct MergeVerdictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let record: SyncRecord
        var local: KnownItem?
        var authorHadLocal = false
        var localAuthorHadRecord = false
        let verdict: MergeVerdict
        var testDescription: String { rule }
    }

    private static func known(
        _ content: UInt64?, at version: ItemVersion, base: ItemVersion? = nil, state: KnownItem.State = .live
    ) -> KnownItem {
        KnownItem(
            version: version, base: base, dot: Sample.dot(3, 1), state: content == nil ? .gone : state, zone: .c,
            digest: content.map(Sample.hash))
    }

    private static let (one, two, three) = (Sample.version(1), Sample.version(2), Sample.version(3))

    static let rows = [
        Row(
            rule: "an unknown item is taken", record: Sample.live(5, at: one), verdict: .take(keepingLocal: nil)),
        Row(
            rule: "an unknown deletion is taken: it may be older than what arrives next",
            record: Sample.gone(at: one), verdict: .take(keepingLocal: nil)),
        Row(
            rule: "a greater version whose author had the local one replaces it",
            record: Sample.live(5, at: two, base: one), local: known(4, at: one), authorHadLocal: true,
            verdict: .take(keepingLocal: nil)),
        Row(
            rule: "a greater version whose author did not have the local one leaves a conflict version",
            record: Sample.live(5, at: two), local: known(4, at: one), verdict: .take(keepingLocal: .overruled)),
        Row(
            rule: "a base that is greater than the local version does not prove that it was known",
            record: Sample.live(5, at: three, base: two), local: known(4, at: one),
            verdict: .take(keepingLocal: .overruled)),
        Row(
            rule: "equal contents leave no conflict version",
            record: Sample.live(4, at: two), local: known(4, at: one), verdict: .take(keepingLocal: nil)),
        Row(
            rule: "what a deletion removes is kept, although the deletion knew it",
            record: Sample.gone(at: two, base: one), local: known(4, at: one), authorHadLocal: true,
            verdict: .take(keepingLocal: .deleted)),
        Row(
            rule: "a greater version replaces a tombstone",
            record: Sample.live(5, at: two), local: known(nil, at: one), verdict: .take(keepingLocal: nil)),
        Row(
            rule: "an item that is absent here is restored by a greater version",
            record: Sample.live(5, at: two), local: known(4, at: one, state: .absentHere),
            verdict: .take(keepingLocal: nil)),
        Row(
            rule: "a smaller version that the local one did not know leaves a conflict version",
            record: Sample.live(5, at: one), local: known(4, at: two), verdict: .keep(keepingRecord: .overruled)),
        Row(
            rule: "a smaller version that the local one replaced is passed over",
            record: Sample.live(5, at: one), local: known(4, at: two, base: one),
            localAuthorHadRecord: true, verdict: .keep(keepingRecord: nil)),
        Row(
            rule: "a smaller version that the local one did not replace but knew is passed over",
            record: Sample.live(5, at: one), local: known(4, at: two), localAuthorHadRecord: true,
            verdict: .keep(keepingRecord: nil)),
        Row(
            rule: "a smaller version that a deletion did not know leaves a conflict version",
            record: Sample.live(5, at: one), local: known(nil, at: two), verdict: .keep(keepingRecord: .overruled)),
        Row(
            rule: "a smaller deletion has no content to keep",
            record: Sample.gone(at: one), local: known(4, at: two), verdict: .keep(keepingRecord: nil)),
        Row(
            rule: "equal versions are the same record",
            record: Sample.live(5, at: one), local: known(5, at: one), verdict: .same),
        Row(
            rule: "equal versions are the same record, with or without the content",
            record: Sample.live(5, at: one), local: known(5, at: one, state: .missing), verdict: .same),
    ]

    @Test("the merge rule", arguments: rows) func verdict(_ row: Row) {
        let verdict = MergeVerdict(
            of: row.record, over: row.local, authorHadLocal: row.authorHadLocal,
            localAuthorHadRecord: row.localAuthorHadRecord)
        #expect(verdict == row.verdict)
    }
}
