import LatchkeySyncCore
import Testing

@Suite struct SnapshotLoadingTests {
    private static let stream = Sample.dot(2, 1).stream
    private static let old = Sample.version(3, by: 2)
    private static let new = Sample.version(9, by: 2)

    /// A snapshot of device 2 that covers its first five segments of zone C.
    private static func snapshot(_ parts: [[SnapshotEntry]], number: UInt64 = 1) -> SampleSnapshot {
        SampleSnapshot(
            2, number: number, vector: VersionVector([stream: 5]), clock: DeviceClock(epoch: .first, time: 50),
            parts: parts)
    }

    /// Has the replica load a snapshot that it needs because the first segments are gone.
    @discardableResult
    private static func load(_ entries: [SnapshotEntry], on bench: Bench, number: UInt64 = 1) -> [ReplicaEffect] {
        let snapshot = snapshot([entries], number: number)
        return bench.receive([], head: 7, first: .init(a: 1, c: 6), snapshot: snapshot.reference)
            + bench.show(snapshot)
    }

    private static func entry(_ record: SyncRecord, _ number: UInt64) -> SnapshotEntry {
        SnapshotEntry(record: record, dot: Sample.dot(2, number))
    }

    private static func received(_ record: SyncRecord) -> Bench {
        let bench = Bench()
        bench.receive([Bench.segment(Sample.dot(2, 1), [record])])
        return bench
    }

    @Test("the records are taken, the vector and the clock move, all in one transaction") func loads() {
        let bench = Bench()
        let effects = Self.load([Self.entry(Sample.live(5, at: Self.old), 2)], on: bench)
        #expect(bench.rows[Sample.name(1)] == Sample.content(5))
        #expect(bench.state.vector[Self.stream] == 5)
        #expect(bench.state.clock == DeviceClock(epoch: .first, time: 50))
        let loading = effects.filter { effect in
            guard case .commit(let transaction) = effect else { return false }
            return transaction.changes.contains { if case .row = $0 { true } else { false } }
        }
        #expect(loading.count == 1)
    }

    @Test("a covered row that is absent was deleted, and is kept as a conflict version") func absent() {
        let bench = Self.received(Sample.live(5, at: Self.old))
        Self.load([], on: bench)
        #expect(bench.rows.isEmpty && bench.state.items.isEmpty)
        #expect(bench.conflicts.map(\.reason) == [.deleted])
    }

    @Test("an absent row that the snapshot does not cover stays") func uncovered() {
        let bench = Bench(members: [1, 2, 3])
        bench.receive([Bench.segment(Sample.dot(3, 1), [Sample.live(5, at: Sample.version(3, by: 3))])], from: 3)
        Self.load([], on: bench)
        #expect(bench.rows[Sample.name(1)] == Sample.content(5))
    }

    @Test("an absent row with an unpublished change stays, and the change is published") func modified() {
        let bench = Bench()
        bench.receive([Bench.segment(Sample.dot(2, 1, zone: .a), [Sample.live(5, at: Self.old, zone: .a)])])
        bench.receive([Bench.segment(Sample.dot(2, 1), [])], head: 2)
        _ = bench.write(6, zone: .a)
        Self.load([], on: bench)
        #expect(bench.rows[Sample.name(1)] == Sample.content(6, zone: .a))
    }

    @Test("a record that was applied and is gone is outdated") func outdated() {
        let bench = Bench()
        let last = Bench.segment(Sample.dot(2, 1), [Sample.gone(at: Self.new)])
        bench.receive([last])
        _ = bench.publish()
        // Every member has the tombstone, so it is forgotten.
        bench.answer(.heads([bench.head(2, 2, [last], vector: bench.state.vector)]))
        #expect(bench.state.items.isEmpty)
        Self.load([Self.entry(Sample.live(5, at: Self.old), 1)], on: bench)
        #expect(bench.rows.isEmpty)
    }

    @Test("a local version that the snapshot does not cover is kept if it loses") func conflict() {
        let bench = Bench()
        _ = bench.write(6)
        let late = Sample.version(.max, by: 2)
        Self.load([Self.entry(Sample.live(5, at: late, base: Sample.version(.max - 1, by: 2)), 4)], on: bench)
        #expect(bench.rows[Sample.name(1)] == Sample.content(5))
        #expect(bench.conflicts.map(\.reason) == [.overruled])
    }

    @Test("a record without content counts as present, and a later snapshot brings the content") func withheld() {
        let bench = Bench()
        let withheld = SyncRecord(
            name: Sample.name(1), version: Self.old, base: nil, state: .withheld(digest: Sample.hash(5), zone: .c))
        Self.load([Self.entry(withheld, 2)], on: bench)
        #expect(bench.state.items[Sample.name(1)]?.state == .missing)
        #expect(bench.rows.isEmpty)
        let full = Self.snapshot([[Self.entry(Sample.live(5, at: Self.old), 2)]], number: 2)
        bench.send(.hint)
        let effects = bench.receive([], head: 8, first: .init(a: 1, c: 6), snapshot: full.reference)
        #expect(effects.contains { $0.question == .snapshotPart(Sample.device(2), number: 2, part: 0) })
        bench.show(full)
        #expect(bench.rows[Sample.name(1)] == Sample.content(5))
        #expect(bench.state.items[Sample.name(1)]?.state == .live)
    }

    @Test("a joining device keeps what the circle does not know, and the newer of what both have") func joining() {
        let bench = Bench(hasJoined: false)
        for (name, modified) in [(1, 10), (2, 10), (3, 10), (4, 10)] as [(UInt8, UInt64)] {
            bench.rows[Sample.name(name)] = Sample.content(6, modified: modified)
        }
        let names = [1, 2, 3, 4] as [UInt8]
        bench.change(names.map { .put(Sample.name($0), Sample.content(6, modified: 10)) })
        func entry(_ name: UInt8, _ content: UInt64, modified: UInt64) -> SnapshotEntry {
            Self.entry(
                SyncRecord(
                    name: Sample.name(name), version: Self.old, base: nil,
                    state: .live(Sample.content(content, modified: modified))), 2)
        }
        Self.load([entry(2, 6, modified: 1), entry(3, 5, modified: 1), entry(4, 5, modified: 20)], on: bench)
        _ = bench.publish()
        let rows = names.map { bench.rows[Sample.name($0)] }
        #expect(
            rows == [
                Sample.content(6, modified: 10), Sample.content(6, modified: 1), Sample.content(6, modified: 10),
                Sample.content(5, modified: 20),
            ])
        #expect(bench.conflicts.map(\.name).sorted() == [Sample.name(3), Sample.name(4)])
        #expect(names.map { bench.state.items[Sample.name($0)]?.version.device } == [1, 2, 1, 2].map(Sample.device))
        #expect(bench.state.hasJoined)
    }

    @Test("an item of a joining device that opens only now is reported again, and the newer one wins")
    func openedLater() {
        let bench = Bench(hasJoined: false)
        bench.rows[Sample.name(1)] = Sample.content(6, modified: 10)
        for modified in [0, 10] as [UInt64] {
            bench.change([.put(Sample.name(1), Sample.content(6, modified: modified))])
        }
        let record = SyncRecord(
            name: Sample.name(1), version: Self.old, base: nil, state: .live(Sample.content(5, modified: 3)))
        Self.load([Self.entry(record, 2)], on: bench)
        _ = bench.publish()
        #expect(bench.rows[Sample.name(1)] == Sample.content(6, modified: 10))
        #expect(bench.state.items[Sample.name(1)]?.version.device == Sample.device(1))
    }

    // MARK: Parts

    private static let three = (1...3).map { number in
        [entry(Sample.live(UInt64(number), at: old, name: UInt8(number)), UInt64(number))]
    }

    private static func begin(_ snapshot: SampleSnapshot, on bench: Bench) -> [ReplicaEffect] {
        bench.receive([], head: 7, first: .init(a: 1, c: 6), snapshot: snapshot.reference)
    }

    @Test("parts are asked for one after another, each is durable by itself, and the vector moves with the last")
    func parts() {
        let bench = Bench()
        let snapshot = Self.snapshot(Self.three)
        var effects = Self.begin(snapshot, on: bench)
        for part in 0..<3 {
            #expect(effects.contains { $0.question == .snapshotPart(Sample.device(2), number: 1, part: part) })
            #expect(bench.rows.count == part && bench.state.vector[Self.stream] == 0)
            #expect(bench.state.isLoading == (part > 0))
            effects = bench.show(snapshot, part: part)
        }
        #expect(bench.rows.count == 3 && bench.state.vector[Self.stream] == 5 && !bench.state.isLoading)
    }

    @Test("a device with a part of a snapshot names no digest, and begins again after a crash") func interrupted() {
        let bench = Bench()
        let snapshot = Self.snapshot(Self.three)
        _ = Self.begin(snapshot, on: bench)
        bench.show(snapshot, part: 0)
        _ = bench.publish()
        #expect(bench.stored != nil && bench.stored?.body.digest == nil)
        bench.restart()
        let effects = Self.begin(snapshot, on: bench)
        #expect(effects.contains { $0.question == .snapshotPart(Sample.device(2), number: 1, part: 0) })
        for part in 0..<3 { bench.show(snapshot, part: part) }
        #expect(bench.rows.count == 3 && !bench.state.isLoading)
        _ = bench.publish()
        #expect(bench.stored?.body.digest != nil)
    }

    @Test(
        "what changed while a snapshot was written is not covered by its vector: no digest until its segment is applied"
    )
    func later() {
        let bench = Bench()
        let record = Sample.live(5, at: Self.new)
        Self.load([SnapshotEntry(record: record, dot: Sample.dot(2, 6))], on: bench)
        #expect(bench.rows[Sample.name(1)] == Sample.content(5) && bench.state.isLoading)
        let segment = Bench.segment(Sample.dot(2, 6), [record])
        bench.receive([segment], head: 8, first: .init(a: 1, c: 6))
        #expect(bench.state.vector[Self.stream] == 6 && !bench.state.isLoading)
    }

    @Test("what an unfinished snapshot does not contain is not deleted") func unfinished() {
        let bench = Self.received(Sample.live(9, at: Self.old, name: 9))
        let snapshot = Self.snapshot(Self.three)
        _ = Self.begin(snapshot, on: bench)
        for part in 0..<2 { bench.show(snapshot, part: part) }
        #expect(bench.rows[Sample.name(9)] != nil)
        bench.show(snapshot, part: 2)
        #expect(bench.rows[Sample.name(9)] == nil)
    }

    @Test("parts that are not those that the head names are not a snapshot") func otherParts() {
        let bench = Self.received(Sample.live(9, at: Self.old, name: 9))
        let named = Self.snapshot(Self.three)
        let shown = SampleSnapshot(
            2, vector: VersionVector([Self.stream: 5]), parts: Self.three.dropLast() + [[]], salt: 1)
        _ = Self.begin(named, on: bench)
        for part in 0..<2 { bench.show(named, part: part) }
        #expect(bench.show(shown, part: 2).contains(.malformed(Sample.device(2))))
        #expect(bench.rows[Sample.name(9)] != nil && bench.state.vector[Self.stream] == 1)
    }

    @Test("a snapshot that cannot be opened yet is not fetched again until keys may have come") func unopened() {
        let bench = Bench()
        let snapshot = Self.snapshot(Self.three)
        bench.openingFailure = .notYet
        _ = Self.begin(snapshot, on: bench)
        bench.show(snapshot)
        func asks(_ effects: [ReplicaEffect]) -> Bool {
            effects.contains { $0.question == .snapshotPart(Sample.device(2), number: 1, part: 0) }
        }
        bench.send(.hint)
        #expect(!asks(Self.begin(snapshot, on: bench)))
        bench.openingFailure = nil
        bench.circle([1, 2])
        #expect(asks(Self.begin(snapshot, on: bench)))
    }

    @Test("a segment that the store does not show for long is replaced by the snapshot of a member that has it")
    func lost() {
        let bench = Bench(members: [1, 2, 3])
        let vector = VersionVector([Self.stream: 1])
        let snapshot = SampleSnapshot(
            3, vector: vector, parts: [[Self.entry(Sample.live(5, at: Self.old), 1)]])
        func asks() -> Bool {
            let author = bench.head(2, 1, [Bench.segment(Sample.dot(2, 1), [])])
            let member = bench.head(3, 1, [], vector: vector, snapshot: snapshot.reference)
            let effects = bench.answer(.heads([author, member])) + bench.answer(.segments([]))
            return effects.contains { $0.question == .snapshotPart(Sample.device(3), number: 1, part: 0) }
        }
        #expect(!asks())
        bench.uptime += 16 * ReplicaLimits.minute
        #expect(asks())
        #expect(bench.show(snapshot).contains { if case .clear(.withheld(Self.stream)) = $0 { true } else { false } })
        #expect(bench.rows[Sample.name(1)] == Sample.content(5))
    }

    @Test("own segments that a device put back learns of from a snapshot are not named by its head") func putBack() {
        let bench = Bench()
        _ = bench.write(6, name: 2)
        _ = bench.publish()
        let own = Sample.dot(1, 1).stream
        let snapshot = SampleSnapshot(2, vector: VersionVector([own: 4, Self.stream: 5]), parts: [[]])
        bench.receive([], head: 7, first: .init(a: 1, c: 6), snapshot: snapshot.reference)
        bench.show(snapshot)
        _ = bench.publish()
        let summary = bench.stored?.body.streams.c
        #expect(summary?.first == 5 && summary?.last == 4)
        #expect(bench.removed.contains(.segment(Sample.dot(1, 1))))
        #expect(bench.write(7, name: 3).isEmpty == false)
        #expect(bench.publish() == [Sample.dot(1, 5)])
    }
}
