import LatchkeySyncCore
import Testing

/// The table of what may be deleted, and when.
@Suite struct GarbageCollectionTests {
    private static let name = Sample.name(1)
    private static let tombstone = Bench.segment(Sample.dot(2, 1), [Sample.gone(at: Sample.version(9, by: 2))])

    /// A device with a tombstone of device 2, and the heads of devices 2 and 3.
    private static func bench() -> Bench {
        let bench = Bench(members: [1, 2, 3])
        bench.receive([tombstone])
        _ = bench.publish()
        return bench
    }

    private static func acknowledging(_ bench: Bench, _ number: UInt64, last: [SampleSegment] = []) -> Head {
        bench.head(3, number, last, vector: VersionVector([tombstone.dot.stream: 1]))
    }

    @Test("a tombstone is forgotten when every member has applied it") func tombstones() {
        let bench = Self.bench()
        #expect(bench.state.items[Self.name]?.state == .gone)
        bench.answer(.heads([bench.head(3, 1, [])]))
        #expect(bench.state.items[Self.name] != nil)
        bench.answer(.heads([Self.acknowledging(bench, 2)]))
        #expect(bench.state.items[Self.name] == nil)
    }

    @Test("a tombstone stays until this device has read what the acknowledging member had written") func unread() {
        let bench = Self.bench()
        let segment = Bench.segment(Sample.dot(3, 1), [Sample.live(5, at: Sample.version(4, by: 3), name: 2)])
        bench.answer(.heads([Self.acknowledging(bench, 1, last: [segment])]))
        #expect(bench.state.items[Self.name] != nil)
        bench.show([segment])
        #expect(bench.state.items[Self.name] == nil)
    }

    @Test("a tombstone stays until the statements of the acknowledging heads are known") func statements() {
        let bench = Self.bench()
        let view = CircleView(
            members: Set([1, 2, 3].map(Sample.device)), writingEpoch: EpochName(number: .first, hash: Sample.hash(1)),
            statementHeads: [Sample.hash(2)])
        bench.send(.circle(view, statements: [Sample.hash(2)], isOwnDecision: false))
        bench.answer(.heads([Self.acknowledging(bench, 1)]))
        #expect(bench.state.items[Self.name] != nil)
        bench.send(.circle(view, statements: [Sample.hash(1), Sample.hash(2)], isOwnDecision: false))
        #expect(bench.state.items[Self.name] == nil)
    }

    @Test("no tombstone is forgotten while a snapshot is written, whose vector may cover it and not what it deleted")
    func snapshot() {
        let bench = Self.bench()
        let part = bench.circle([1, 2, 3], isOwnDecision: true).compactMap(\.part).first
        bench.answer(.heads([Self.acknowledging(bench, 1)]))
        #expect(part != nil && bench.state.items[Self.name] != nil)
        bench.answer(.created(part.map { [$0] } ?? []))
        #expect(bench.state.snapshot != nil && bench.state.items[Self.name] == nil)
    }

    @Test("a tombstone waits for a member that has no head yet") func joiner() {
        let bench = Self.bench()
        bench.circle([1, 2, 3, 4])
        bench.answer(.heads([Self.acknowledging(bench, 1)]))
        #expect(bench.state.items[Self.name] != nil)
    }

    @Test("segments that every member has applied stay until a snapshot covers them") func segments() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        let own = Sample.dot(1, 1)
        bench.answer(.heads([bench.head(2, 1, [], vector: VersionVector([own.stream: 1]))]))
        _ = bench.publish()
        #expect(bench.state.outbox[own] != nil)
        #expect(bench.removed.isEmpty)
        let reference = SnapshotReference(
            number: 1, partCount: 1, hash: Sample.hash(3), vector: VersionVector([own.stream: 1]))
        bench.answer(.heads([bench.head(2, 2, [], vector: VersionVector([own.stream: 1]), snapshot: reference)]))
        _ = bench.publish()
        #expect(bench.state.outbox[own] == nil)
        #expect(bench.removed == [.segment(own)])
        #expect(bench.stored?.body.streams.c == StreamSummary(first: 2, last: 1, hash: bench.state.marks[own.stream]))
    }

    @Test("an own snapshot stands for own segments only after it was read back") func readBack() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        let effects = bench.circle([1, 2], isOwnDecision: true)
        guard let part = effects.compactMap(\.part).first, let sealed = bench.parts[part]?.sealed else {
            Issue.record("no snapshot was written")
            return
        }
        bench.answer(.created([part]))
        #expect(bench.state.snapshot?.wasReadBack == false)
        #expect(bench.state.outbox.count == 1)
        bench.answer(.snapshotPart(Sample.device(1), number: 1, part: 0, nil))
        #expect(bench.state.owesSnapshot, "a snapshot that the store lost is written again")
        bench.answer(.snapshotPart(Sample.device(1), number: 1, part: 0, sealed))
        #expect(bench.state.outbox.isEmpty)
    }

    @Test("an own snapshot does not stand for a content that this device removed") func withheld() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        bench.rows = [:]
        bench.change([.delete(Self.name, leavesTombstone: false)])
        let name = bench.circle([1, 2], isOwnDecision: true).compactMap(\.part).first
        let part = name.flatMap { bench.parts[$0] }
        #expect(part?.draft.entries.map(\.record.state) == [.withheld(digest: Sample.hash(5), zone: .c)])
        bench.answer(.created([.snapshotPart(Sample.device(1), number: 1, part: 0)]))
        bench.answer(.snapshotPart(Sample.device(1), number: 1, part: 0, part?.sealed))
        #expect(bench.state.outbox.count == 1)
    }

    @Test("the previous snapshot goes when the new one is a day old, or when each member is past it") func previous() {
        for acknowledged in [false, true] {
            let bench = Bench()
            _ = bench.write(5)
            _ = bench.publish()
            for _ in 0..<2 {
                _ = bench.perform(bench.circle([1, 2], isOwnDecision: true))
                _ = bench.publish()
            }
            #expect(bench.state.previousSnapshots.count == 1)
            if acknowledged {
                bench.answer(.heads([bench.head(2, 1, [], vector: bench.state.vector)]))
            } else {
                bench.uptime += ReplicaLimits.day
                _ = bench.publish()
            }
            #expect(bench.state.previousSnapshots.isEmpty)
        }
    }

    @Test("a record beyond what a removal counts is adopted with its version") func adoption() {
        let bench = Bench(members: [1, 2, 3])
        let version = Sample.version(4, by: 2)
        bench.receive([
            Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2), name: 2)]),
            Bench.segment(Sample.dot(2, 2), [Sample.live(5, at: version)]),
        ])
        bench.circle([1, 3], removed: [2: CountedSegments(c: 1)])
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.state.items[Self.name]?.version == version)
        #expect(bench.state.items[Self.name]?.dot == Sample.dot(1, 1))
        #expect(bench.state.items[Sample.name(2)]?.dot == Sample.dot(2, 1))
    }
}
