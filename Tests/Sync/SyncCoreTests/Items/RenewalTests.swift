import LatchkeySyncCore
import Testing

/// The state with which a restored or cloned device asks for approval again.
@Suite struct RenewalTests {
    private static let name = Sample.name(1)
    private static let own = Sample.dot(1, 1).stream

    /// A device with one published item.
    private static func bench() -> Bench {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        return bench
    }

    /// Shows the head of a member that has `number` own segments of the device.
    private static func acknowledge(_ bench: Bench, _ number: UInt64, mark: SegmentMark?) {
        let marks: StreamTable<SegmentMark> = mark.map { [own: $0] } ?? [:]
        bench.answer(.heads([bench.head(2, 1, [], vector: VersionVector([own: number]), marks: marks)]))
    }

    private static func renewed(_ bench: Bench) -> ReplicaState { bench.state.renewed(as: Sample.device(9)) }

    @Test("a version that a member is known to have keeps its place, so that its deletion is recognised") func known() {
        for isMarked in [true, false] {
            let bench = Self.bench()
            Self.acknowledge(bench, 1, mark: isMarked ? bench.state.marks[Self.own]?.mark : nil)
            #expect(bench.state.acknowledged.c == 1)
            let renewed = Self.renewed(bench)
            #expect(renewed.items[Self.name]?.dot == Sample.dot(1, 1))
            #expect(renewed.vector == bench.state.vector && !renewed.hasJoined)
        }
    }

    @Test("a version that no member is known to have counts as a local item, and everything is read again")
    func unknown() {
        let bench = Self.bench()
        Self.acknowledge(bench, 0, mark: nil)
        #expect(Self.renewed(bench).items.isEmpty && Self.renewed(bench).vector == VersionVector())
        #expect(Self.renewed(bench).isLoading, "what is left of the items is not that of the vector")
    }

    @Test("a version whose number a member has with another mark is that of a twin, and counts as local") func twin() {
        let bench = Self.bench()
        Self.acknowledge(bench, 1, mark: Sample.hash(99).mark)
        #expect(bench.state.acknowledged.c == 0)
        #expect(Self.renewed(bench).items.isEmpty)
    }

    @Test("an earlier segment is compared with the outbox") func earlier() {
        for isOwn in [true, false] {
            let bench = Self.bench()
            _ = bench.write(6)
            _ = bench.publish()
            let hash = bench.state.outbox[Sample.dot(1, 1)]?.hash
            Self.acknowledge(bench, 1, mark: isOwn ? hash?.mark : Sample.hash(99).mark)
            #expect(bench.state.acknowledged.c == (isOwn ? 1 : 0))
            #expect(
                Self.renewed(bench).items.isEmpty, "the version in the second segment is not known to have been read")
        }
    }

    @Test("where no other member is known, what the store had counts") func alone() {
        let bench = Self.bench()
        #expect(bench.state.confirmed.c == 1)
        #expect(Self.renewed(bench).items[Self.name]?.dot == Sample.dot(1, 1))
    }
}
