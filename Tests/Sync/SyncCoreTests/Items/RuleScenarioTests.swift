import LatchkeySyncCore
import LatchkeySyncSimulation
import Testing

/// Rules that a directed scenario shows to be needed: with the rule it ends well, and without it not.
@Suite struct RuleScenarioTests {
    private static func rules(_ rule: SimulatedRule) -> [(rule: SimulatedRule?, isOn: Bool)] {
        [(nil, true), (rule, false)]
    }

    /// Device 3 wrote its snapshot before it had applied a deletion that everyone has forgotten since. Device 4 was removed; device 1 lacks
    /// its last segment, which this snapshot contains.
    @Test("skipsOutdated: a forgotten deletion does not come undone by a snapshot from before it") func outdated() {
        for (rule, isOn) in Self.rules(.skipsOutdated) {
            let bench = Bench(members: [1, 2, 3, 4], without: rule)
            let old = Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])
            let deletion = Bench.segment(Sample.dot(2, 2), [Sample.gone(at: Sample.version(9, by: 2))])
            bench.receive([old, deletion], head: 1)
            _ = bench.publish()
            let vector = VersionVector([Sample.dot(2, 1).stream: 2])
            bench.answer(.heads([bench.head(3, 1, [], vector: vector), bench.head(4, 1, [], vector: vector)]))
            #expect(bench.state.items.isEmpty, "every member has the tombstone")
            bench.circle([1, 2, 3], removed: [4: CountedSegments(c: 1)])
            let covered = VersionVector([Sample.dot(2, 1).stream: 1, Sample.dot(4, 1).stream: 1])
            let snapshot = SampleSnapshot(
                3, vector: covered,
                parts: [[SnapshotEntry(record: Sample.live(5, at: Sample.version(3, by: 2)), dot: Sample.dot(2, 1))]])
            bench.answer(.heads([bench.head(3, 2, [], vector: vector, snapshot: snapshot.reference)]))
            bench.show(snapshot)
            #expect(bench.state.vector.covers(Sample.dot(4, 1)))
            #expect(bench.rows.isEmpty == isOn)
        }
    }

    /// Device 2 knows that device 3 was admitted, and device 1 does not yet. Device 3 may write a version below the tombstone that
    /// it has not seen.
    @Test("needsStatements: a tombstone waits for members that an acknowledging member knows") func statements() {
        for (rule, isOn) in Self.rules(.needsStatements) {
            let bench = Bench(without: rule)
            _ = bench.write(5)
            _ = bench.publish()
            bench.rows = [:]
            bench.change([.delete(Sample.name(1), leavesTombstone: true)])
            _ = bench.publish()
            let deletion = bench.state.items[Sample.name(1)]?.version
            bench.answer(.heads([bench.head(2, 1, [], vector: bench.state.vector, statements: [Sample.hash(7)])]))
            let late = Bench.segment(Sample.dot(3, 1), [Sample.live(6, at: Sample.version(1, by: 3))])
            bench.circle([1, 2, 3])
            bench.receive([late], from: 3)
            #expect(deletion.map { $0 > Sample.version(1, by: 3) } ?? false)
            #expect(bench.rows.isEmpty == isOn, "the deletion is greater, and the other devices have it")
        }
    }

    /// Device 2 has an old clock and has not heard of the admission of device 1. The other members may have forgotten a tombstone between
    /// its clock and theirs.
    @Test("joinsByKnowingHead: a device joins by the clock of a member that knows of it") func joining() {
        for (rule, isOn) in Self.rules(.joinsByKnowingHead) {
            let bench = Bench(hasJoined: false, members: [1, 2, 3], without: rule)
            bench.answer(.heads([bench.head(2, 1, [], statements: [Sample.hash(7)])]))
            #expect(bench.state.hasJoined == !isOn)
            let clock = DeviceClock(epoch: .first, time: 1 << 50)
            bench.answer(.heads([bench.head(3, 1, [], clock: clock)]))
            _ = bench.write(5)
            let version = bench.state.items[Sample.name(1)]?.version
            #expect(version.map { $0.time >= 1 << 50 } == isOn)
        }
    }

    /// All devices are lost right after each member has applied a segment. The recovery code finds what the store has.
    @Test("segmentsNeedSnapshot: at no time does the store lack an item") func recoverable() {
        for (rule, isOn) in Self.rules(.segmentsNeedSnapshot) {
            let bench = Bench(without: rule)
            _ = bench.write(5)
            _ = bench.publish()
            bench.send(.locked(.locked))
            bench.answer(.heads([bench.head(2, 1, [], vector: bench.state.vector)]))
            _ = bench.publish()
            let isStored = !bench.removed.contains(.segment(Sample.dot(1, 1))) || !bench.created.isEmpty
            #expect(isStored == isOn)
        }
    }

    /// A locked device cannot write the snapshot that would give the others the record.
    @Test("adoption: a locked device passes on what a removed device wrote to it alone") func adoption() {
        for (rule, isOn) in Self.rules(.adoption) {
            let bench = Bench(members: [1, 2, 3], without: rule)
            let version = Sample.version(4, by: 2)
            bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: version)])])
            bench.send(.locked(.locked))
            bench.circle([1, 3], removed: [2: CountedSegments()])
            #expect((bench.publish() == [Sample.dot(1, 1)]) == isOn)
            #expect(bench.created.isEmpty)
            #expect(bench.state.items[Sample.name(1)]?.version == version)
        }
    }
}
