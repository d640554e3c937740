import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import Testing

@testable import LatchkeyEtcdMessages
@testable import LatchkeyEtcdStore

/// Heads that are not read twice.
@Suite struct KnownHeadsTests {
    private let one = StoreObjectName.head(SampleObjects.device(1))
    private let other = StoreObjectName.head(SampleObjects.device(2))
    private let start = ContinuousClock.now

    private static func entry(_ revision: Int64, _ byteCount: Int = 8) -> EtcdEntry {
        EtcdEntry(
            key: [1], value: [UInt8](repeating: UInt8(truncatingIfNeeded: revision), count: byteCount),
            revision: revision)
    }

    @Test("a head is known until another one is listed") func changed() {
        var heads = KnownHeads()
        heads.list([one: 5, other: 6], at: 6, start)
        #expect(heads[one] == nil)
        heads.note(Self.entry(5), of: one)
        // It was replaced after the listing.
        heads.note(Self.entry(7), of: other)
        #expect(heads[one] == Self.entry(5) && heads[other] == nil)
        heads.list([one: 5, other: 7], at: 7, start)
        #expect(heads[one] == Self.entry(5))
        heads.note(Self.entry(7), of: other)
        #expect(heads[other] == Self.entry(7))
        heads.list([one: 8, other: 7], at: 8, start)
        #expect(heads[one] == nil && heads[other] == Self.entry(7))
        heads.list([other: 7], at: 9, start)
        heads.list([one: 5, other: 7], at: 10, start)
        #expect(heads[one] == nil, "it was missing meanwhile")
    }

    @Test("a store that has gone back is read anew, and every store after an hour") func old() {
        var heads = KnownHeads()
        heads.list([one: 5], at: 9, start)
        heads.note(Self.entry(5), of: one)
        heads.list([one: 5], at: 8, start)
        #expect(heads[one] == nil)
        heads.note(Self.entry(5), of: one)
        heads.list([one: 5], at: 8, start + .seconds(3_600))
        #expect(heads[one] == Self.entry(5))
        heads.list([one: 5], at: 8, start + .seconds(3_601))
        #expect(heads[one] == nil)
    }

    @Test("other objects, and more than four megabytes, are not kept") func limits() {
        var heads = KnownHeads()
        heads.list([one: 5, other: 6], at: 6, start)
        let segment = SampleObjects.segment(1, of: SampleObjects.device(1))
        heads.note(Self.entry(5), of: segment)
        #expect(heads[segment] == nil)
        heads.note(Self.entry(5, 3 << 20), of: one)
        heads.note(Self.entry(6, 2 << 20), of: other)
        #expect(heads[one] != nil && heads[other] == nil)
        heads.note(Self.entry(5, 2 << 20), of: one)
        heads.note(Self.entry(6, 2 << 20), of: other)
        #expect(heads[one] != nil && heads[other] != nil)
    }
}
