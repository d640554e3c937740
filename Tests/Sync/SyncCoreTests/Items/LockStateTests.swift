import LatchkeySyncCore
import Testing

/// The table of lock states: which steps each of them allows.
@Suite struct LockStateTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let state: SyncLockState
        let reads: Bool
        let opensC: Bool
        let opensA: Bool
        var testDescription: String { "\(state)" }
    }

    static let rows = [
        Row(state: .noPasscode, reads: false, opensC: false, opensA: false),
        Row(state: .beforeFirstUnlock, reads: true, opensC: false, opensA: false),
        Row(state: .locked, reads: true, opensC: true, opensA: false),
        Row(state: .unlocked, reads: true, opensC: true, opensA: true),
    ]

    @Test("heads are read in every state with a passcode", arguments: rows) func heads(_ row: Row) {
        let bench = Bench(lock: row.state)
        bench.answer(.heads([bench.head(2, 1, [])]))
        #expect((bench.state.seen[Sample.device(2)] != nil) == row.reads)
    }

    @Test("segments are applied in the states that open them, and kept until then", arguments: rows)
    func segments(_ row: Row) {
        for zone in ZoneClass.allCases {
            let bench = Bench(lock: row.state)
            let dot = Sample.dot(2, 1, zone: zone)
            bench.receive([Bench.segment(dot, [Sample.live(5, at: Sample.version(7, by: 2), zone: zone)])])
            let opens = zone == .a ? row.opensA : row.opensC
            #expect((bench.rows[Sample.name(1)] != nil) == opens, "\(zone)")
            #expect(bench.state.vector.covers(dot) == opens, "\(zone)")
            #expect((bench.state.pending[dot] != nil) == (row.reads && !opens), "\(zone)")
            bench.send(.locked(.unlocked))
            if row.reads { #expect(bench.rows[Sample.name(1)] == Sample.content(5, zone: zone), "\(zone)") }
        }
    }

    @Test("after a long lock the segments are opened in portions, each in an event of its own") func portions() {
        var limits = ReplicaLimits.quickStore
        limits.bytesOpenedInEvent = 2_500
        let bench = Bench(lock: .locked, limits: limits)
        let count: UInt64 = 10
        bench.receive(
            (1...count).map { number in
                let record = Sample.live(number, at: Sample.version(number, by: 2), zone: .a)
                return Bench.segment(Sample.dot(2, number, zone: .a), [record])
            })
        let stream = StreamIdentifier(Sample.device(2), .a)
        var effects = bench.send(.locked(.unlocked))
        var portions: [UInt64] = []
        while effects.contains(where: { if case .goOn = $0 { true } else { false } }) {
            portions.append(bench.state.vector[stream])
            #expect(effects.allSatisfy { $0.question == nil || $0.question == .ownHead }, "nothing more is fetched")
            effects = bench.send(.time)
        }
        // A segment of the bench has 1,000 bytes.
        #expect(portions == [3, 6, 9])
        #expect(bench.state.vector[stream] == count && bench.state.pending.isEmpty)
    }

    @Test("changes are published in the states that seal them, and wait otherwise", arguments: rows)
    func publishing(_ row: Row) {
        for zone in ZoneClass.allCases {
            let bench = Bench(lock: row.state)
            _ = bench.write(5, zone: zone)
            let opens = zone == .a ? row.opensA : row.opensC
            #expect(bench.publish().contains(Sample.dot(1, 1, zone: zone)) == opens, "\(zone)")
            bench.send(.locked(.unlocked))
            _ = bench.publish()
            #expect(bench.state.items[Sample.name(1)]?.dot == Sample.dot(1, 1, zone: zone), "\(zone)")
        }
    }

    @Test("a deletion waits for the first unlock only, whatever the class of the item was", arguments: rows)
    func deletion(_ row: Row) {
        let bench = Bench()
        _ = bench.write(5, zone: .a)
        _ = bench.publish()
        bench.send(.locked(row.state))
        bench.rows[Sample.name(1)] = nil
        bench.change([.delete(Sample.name(1), leavesTombstone: true)])
        #expect(bench.publish().contains(Sample.dot(1, 1, zone: .c)) == row.opensC)
        bench.send(.locked(.locked))
        _ = bench.publish()
        #expect(bench.state.items[Sample.name(1)]?.dot == Sample.dot(1, 1, zone: .c))
    }

    @Test("a tombstone is applied on a locked device without opening the row") func tombstone() {
        let bench = Bench()
        _ = bench.write(5, zone: .a)
        _ = bench.publish()
        bench.send(.locked(.locked))
        bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.gone(at: Sample.version(.max, by: 2))])])
        #expect(bench.rows.isEmpty)
        #expect(bench.conflicts.map(\.reason) == [.deleted])
        #expect(bench.conflicts.map(\.source) == [.row])
    }

    @Test("snapshots are neither written nor loaded while locked: an item may have moved to the other zone")
    func snapshots() {
        let bench = Bench(lock: .locked)
        let vector = VersionVector([Sample.dot(2, 3).stream: 3])
        let reference = SnapshotReference(number: 1, partCount: 1, hash: Sample.hash(9), vector: vector)
        let effects = bench.receive([], first: .init(a: 1, c: 4), snapshot: reference)
        #expect(!effects.contains { $0.question == .snapshotPart(Sample.device(2), number: 1, part: 0) })
        bench.circle([1, 2, 3], isOwnDecision: true)
        #expect(bench.state.owesSnapshot && bench.state.snapshotNumber == 0)
        let head = bench.head(2, 1, [], first: .init(a: 1, c: 4), snapshot: reference)
        let unlocked = bench.send(.locked(.unlocked)) + bench.answer(.heads([head]))
        #expect(unlocked.contains { $0.question == .snapshotPart(Sample.device(2), number: 1, part: 0) })
        #expect(bench.state.snapshotNumber == 1)
    }
}
