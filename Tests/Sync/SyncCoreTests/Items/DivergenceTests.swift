import LatchkeySyncCore
import Testing

/// Devices with one vector and other items. Copies of a device that wrote different segments under one number have this effect.
@Suite struct DivergenceTests {
    private static let stream = Sample.dot(2, 1).stream
    private static let alarm = SyncAlarm.diverged(Sample.device(2))
    private static let ours = Sample.live(5, at: Sample.version(3, by: 2))
    private static let theirs = Sample.live(6, at: Sample.version(4, by: 2), name: 2)
    private static let wrong = StateDigest(1, 2, 3, 4)

    /// A device that has the item `ours` of a segment under whose number device 2 has written `theirs`.
    private static func diverged() -> (bench: Bench, segment: SampleSegment, effects: [ReplicaEffect]) {
        let bench = Bench()
        let segment = Bench.segment(Sample.dot(2, 1), [ours])
        bench.receive([segment])
        _ = bench.publish()
        let effects = bench.answer(.heads([bench.head(2, 2, [segment], digest: wrong)]))
        return (bench, segment, effects)
    }

    private static func snapshot(_ entries: [SnapshotEntry], number: UInt64 = 1) -> SampleSnapshot {
        SampleSnapshot(2, number: number, vector: VersionVector([stream: 1]), parts: [entries])
    }

    private static func asks(_ effects: [ReplicaEffect], number: UInt64 = 1) -> Bool {
        effects.contains { $0.question == .snapshotPart(Sample.device(2), number: number, part: 0) }
    }

    @Test("an alarm is raised, and a snapshot is written for the other") func writes() {
        let (bench, _, effects) = Self.diverged()
        #expect(effects.contains(Self.alarm))
        #expect(effects.contains { $0.part != nil })
        _ = bench.perform(effects)
        #expect(bench.state.snapshot?.reference.vector == bench.state.vector)
    }

    @Test("the snapshot of the other is loaded as a whole: nothing is outdated or deleted, and the alarm ends")
    func loads() {
        let (bench, segment, _) = Self.diverged()
        let snapshot = Self.snapshot([SnapshotEntry(record: Self.theirs, dot: Sample.dot(2, 1))])
        let effects = bench.answer(
            .heads([bench.head(2, 3, [segment], snapshot: snapshot.reference, digest: Self.wrong)]))
        #expect(Self.asks(effects))
        bench.show(snapshot)
        #expect(bench.rows == [Sample.name(1): Sample.content(5), Sample.name(2): Sample.content(6)])
        #expect(bench.state.vector == VersionVector([Self.stream: 1]))
        _ = bench.publish()
        let ended = bench.answer(.heads([bench.head(2, 4, [segment], digest: bench.stored?.body.digest)]))
        #expect(ended.contains { if case .clear(Self.alarm) = $0 { true } else { false } })
    }

    @Test("of two versions of an item the greater one wins, and the other is kept") func greater() {
        for (time, winner) in [(4, 6), (2, 5)] as [(UInt64, UInt64)] {
            let (bench, segment, _) = Self.diverged()
            let record = Sample.live(6, at: Sample.version(time, by: 2))
            let snapshot = Self.snapshot([SnapshotEntry(record: record, dot: Sample.dot(2, 1))])
            bench.answer(.heads([bench.head(2, 3, [segment], snapshot: snapshot.reference, digest: Self.wrong)]))
            bench.show(snapshot)
            #expect(bench.rows[Sample.name(1)] == Sample.content(winner))
            #expect(bench.conflicts.map(\.reason) == [.overruled])
        }
    }

    @Test("a snapshot of another vector is of no use, and none is loaded twice") func once() {
        let (bench, segment, _) = Self.diverged()
        let early = SampleSnapshot(2, vector: VersionVector(), parts: [[]])
        #expect(
            !Self.asks(
                bench.answer(.heads([bench.head(2, 3, [segment], snapshot: early.reference, digest: Self.wrong)]))))
        let snapshot = Self.snapshot([], number: 2)
        let head = bench.head(2, 4, [segment], snapshot: snapshot.reference, digest: Self.wrong)
        #expect(Self.asks(bench.answer(.heads([head])), number: 2))
        bench.show(snapshot)
        bench.send(.hint)
        #expect(!Self.asks(bench.answer(.heads([head])), number: 2))
    }

    @Test("a member that goes on naming wrong digests costs one snapshot a day") func daily() {
        let (bench, segment, effects) = Self.diverged()
        _ = bench.perform(effects)
        _ = bench.publish()
        #expect(bench.state.snapshotNumber == 1)
        let next = Bench.segment(Sample.dot(2, 2), [])
        bench.receive([segment, next], head: 3)
        for (number, wait) in [(4, 0), (5, ReplicaLimits.day)] as [(UInt64, UInt64)] {
            bench.uptime += wait
            _ = bench.publish()
            _ = bench.perform(bench.answer(.heads([bench.head(2, number, [segment, next], digest: Self.wrong)])))
            #expect(bench.state.snapshotNumber == (wait == 0 ? 1 : 2))
        }
    }
}
