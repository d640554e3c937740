import LatchkeySyncCore
import Testing

/// Records whose author was removed before every member had them.
@Suite struct LeftBehindTests {
    private static let name = Sample.name(1)
    private static let version = Sample.version(9, by: 2)

    /// A joining device that has a record of device 2, and an older one of device 3 that it replaced.
    private static func joining(_ record: SyncRecord) -> Bench {
        let bench = Bench(hasJoined: false, members: [1, 2, 3])
        let replaced = Bench.segment(Sample.dot(3, 1), [Sample.live(4, at: Sample.version(5, by: 3))])
        for segment in [replaced, Bench.segment(Sample.dot(2, 1), [record])] {
            // Heads that do not know of the admission.
            let author: UInt8 = segment.dot == replaced.dot ? 3 : 2
            bench.answer(.heads([bench.head(author, 1, [segment], statements: [Sample.hash(7)])]))
            bench.show([segment])
        }
        #expect(!bench.state.hasJoined && bench.state.items[name]?.version == version)
        return bench
    }

    /// Removes device 2, of which nothing counts, and shows the head of device 3 with which the device joins.
    private static func join(_ bench: Bench, late segments: [SampleSegment] = []) {
        bench.circle([1, 3], removed: [2: CountedSegments()])
        let first = Bench.segment(Sample.dot(3, 1), [])
        bench.receive([first] + segments, from: 3, head: 2)
        #expect(bench.state.hasJoined)
    }

    @Test("a record that the circle may have deleted meanwhile gets a new version when the device joins") func live() {
        let bench = Self.joining(Sample.live(5, at: Self.version))
        Self.join(bench)
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.state.items[Self.name]?.version.device == Sample.device(1))
        #expect(bench.state.items[Self.name]?.base == Self.version)
        #expect(bench.rows[Self.name] == Sample.content(5))
    }

    @Test("its deletion on the joining device is published: the other members may have what it replaced") func deleted()
    {
        let bench = Self.joining(Sample.live(5, at: Self.version))
        bench.rows = [:]
        bench.change([.delete(Self.name, leavesTombstone: true)])
        Self.join(bench)
        #expect(bench.publish() == [Sample.dot(1, 1)])
        let record = bench.segments[Sample.dot(1, 1)]?.records.first
        #expect(record?.state == .gone && record.map { $0.version > Self.version } ?? false)
    }

    @Test("a deletion is passed on, and an older record does not take its place") func gone() {
        let bench = Self.joining(Sample.gone(at: Self.version))
        let older = Bench.segment(Sample.dot(3, 2), [Sample.live(6, at: Sample.version(4, by: 3))])
        Self.join(bench, late: [older])
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.segments[Sample.dot(1, 1)]?.records == [Sample.gone(at: Self.version)])
        #expect(bench.rows.isEmpty)
    }

    @Test("a greater version still wins over it, also after a crash, and what it replaces is kept") func greater() {
        for crashes in [false, true] {
            let bench = Self.joining(Sample.live(5, at: Self.version))
            bench.circle([1, 3], removed: [2: CountedSegments()])
            let deletion = Bench.segment(Sample.dot(3, 2), [Sample.gone(at: Sample.version(12, by: 3))])
            bench.answer(.heads([bench.head(3, 2, [deletion], statements: [Sample.hash(7)])]))
            bench.show([deletion])
            #expect(bench.rows.isEmpty && bench.conflicts.last?.reason == .deleted)
            if crashes {
                bench.restart(members: [1, 3])
                bench.circle([1, 3], removed: [2: CountedSegments()])
            }
            bench.answer(.heads([bench.head(3, 3, [deletion])]))
            #expect(bench.state.hasJoined)
            #expect(bench.publish().isEmpty)
        }
    }

    @Test("a change that a program makes of it meanwhile is a local item like any other") func edited() {
        let bench = Self.joining(Sample.live(5, at: Self.version))
        bench.circle([1, 3], removed: [2: CountedSegments()])
        let edited = Sample.content(5, modified: 20)
        bench.rows[Self.name] = edited
        bench.change([.put(Self.name, edited)])
        let greater = Bench.segment(Sample.dot(3, 2), [Sample.live(7, at: Sample.version(12, by: 3))])
        bench.answer(.heads([bench.head(3, 2, [greater], statements: [Sample.hash(7)])]))
        bench.show([greater])
        #expect(bench.rows[Self.name] == edited, "it is newer than the content of the circle")
        bench.answer(.heads([bench.head(3, 3, [greater])]))
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.segments[Sample.dot(1, 1)]?.records.map(\.state) == [.live(edited)])
    }

    @Test("a snapshot that covers it and does not contain it deletes it") func absent() {
        let bench = Self.joining(Sample.live(5, at: Self.version))
        bench.circle([1, 3], removed: [2: CountedSegments()])
        let vector = VersionVector([Sample.dot(2, 1).stream: 1, Sample.dot(3, 1).stream: 4])
        let snapshot = SampleSnapshot(3, vector: vector, parts: [[]])
        bench.receive([], from: 3, head: 2, first: .init(a: 1, c: 5), snapshot: snapshot.reference)
        bench.show(snapshot)
        #expect(bench.state.hasJoined && bench.rows.isEmpty)
        #expect(bench.publish().isEmpty)
    }

    @Test("a joining device waits for what members have of removed devices only if they can pass it on") func unjoined()
    {
        let removed: [UInt8: CountedSegments] = [4: CountedSegments(c: 1)]
        let vector = VersionVector([Sample.dot(4, 1).stream: 1])
        for hasJoined in [true, false] {
            let bench = Bench(hasJoined: false, members: [1, 2, 3])
            bench.circle([1, 2, 3], removed: removed)
            bench.answer(.heads([bench.head(2, 1, []), bench.head(3, 1, [], vector: vector, hasJoined: hasJoined)]))
            #expect(bench.state.hasJoined != hasJoined)
        }
    }

    // MARK: Snapshots that end early

    /// A device with the first part of a snapshot of device 2, with a record of device 3.
    private static func interrupted(_ record: SyncRecord = Sample.live(5, at: Sample.version(3, by: 3))) -> Bench {
        let bench = Bench(members: [1, 2, 3])
        let entry = SnapshotEntry(record: record, dot: Sample.dot(3, 1))
        let vector = VersionVector([Sample.dot(3, 1).stream: 1, Sample.dot(2, 1).stream: 5])
        let snapshot = SampleSnapshot(2, vector: vector, parts: [[entry], []])
        // The store has the head, and not the segment.
        bench.answer(.heads([bench.head(3, 1, [Bench.segment(Sample.dot(3, 1), [record])])]))
        bench.show([])
        bench.receive([], head: 7, vector: vector, first: .init(a: 1, c: 6), snapshot: snapshot.reference)
        bench.show(snapshot, part: 0)
        return bench
    }

    @Test("what only a part of a snapshot brought is published if neither the rest nor the segment will come")
    func stranded() {
        let bench = Self.interrupted()
        #expect(bench.state.isLoading)
        bench.circle([1], removed: [2: CountedSegments(c: 5), 3: CountedSegments(c: 1)])
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.segments[Sample.dot(1, 1)]?.records == [Sample.live(5, at: Sample.version(3, by: 3))])
        bench.answer(.heads([]))
        #expect(!bench.state.isLoading)
        _ = bench.publish()
        #expect(bench.stored?.body.digest != nil)
    }

    @Test("of an item without content nothing is left in that case") func missing() {
        let withheld = SyncRecord.State.withheld(digest: Sample.hash(5), zone: .c)
        let bench = Self.interrupted(
            SyncRecord(name: Self.name, version: Sample.version(3, by: 3), base: nil, state: withheld))
        #expect(bench.state.items[Self.name]?.state == .missing)
        bench.circle([1], removed: [2: CountedSegments(c: 5), 3: CountedSegments(c: 1)])
        #expect(bench.state.items.isEmpty)
    }

    @Test("it waits as long as a member may have the segment") func notStranded() {
        let bench = Self.interrupted()
        bench.circle([1, 4], removed: [2: CountedSegments(c: 5), 3: CountedSegments(c: 1)])
        #expect(bench.publish().isEmpty, "the head of device 4 is not known")
        bench.answer(.heads([bench.head(4, 1, [], vector: VersionVector([Sample.dot(3, 1).stream: 1]))]))
        #expect(bench.publish().isEmpty && bench.state.isLoading)
    }

    @Test("without that member it is published when the heads are known") func lateHead() {
        let bench = Self.interrupted()
        bench.circle([1, 4], removed: [2: CountedSegments(c: 5), 3: CountedSegments(c: 1)])
        bench.answer(.heads([bench.head(4, 1, [])]))
        #expect(bench.publish() == [Sample.dot(1, 1)])
    }
}
