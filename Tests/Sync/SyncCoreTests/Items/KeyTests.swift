import LatchkeySyncCore
import Testing

/// Keys that are not at hand although the lock state would allow their use.
@Suite struct KeyTests {
    private static let segment = Bench.segment(
        Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])

    @Test("a segment whose epoch was not shared yet stays sealed, and is applied when the circle changes") func notYet()
    {
        let bench = Bench()
        bench.openingFailure = .notYet
        bench.receive([Self.segment])
        #expect(bench.rows.isEmpty && bench.state.pending[Self.segment.dot] == Self.segment.sealed)
        bench.uptime += ReplicaLimits.day
        #expect(bench.send(.time).allSatisfy { $0.raised == nil }, "it is not withheld")
        bench.openingFailure = nil
        bench.circle([1, 2])
        #expect(bench.rows[Sample.name(1)] == Sample.content(5))
        #expect(bench.state.pending.isEmpty)
    }

    @Test("a segment that cannot be decoded is skipped and its author named") func malformed() {
        let bench = Bench()
        bench.openingFailure = .malformed
        #expect(bench.receive([Self.segment]).contains(.malformed(Sample.device(2))))
        #expect(bench.state.vector.covers(Self.segment.dot) && bench.state.pending.isEmpty)
    }

    @Test("a change that cannot be sealed keeps its version and is published later") func sealing() {
        let bench = Bench()
        _ = bench.publish()
        bench.refusesToSeal = true
        _ = bench.write(5)
        #expect(bench.publish().isEmpty)
        #expect(bench.state.items[Sample.name(1)]?.dot == nil && bench.state.outbox.isEmpty)
        let version = bench.state.items[Sample.name(1)]?.version
        bench.refusesToSeal = false
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.state.items[Sample.name(1)]?.version == version)
    }

    @Test("without a key for the head nothing is written, and the head follows") func head() {
        let bench = Bench()
        _ = bench.publish()
        bench.refusesToSeal = true
        bench.uptime += ReplicaLimits.day
        _ = bench.publish()
        #expect(bench.state.head?.number == 1 && bench.stored?.number == 1)
        bench.refusesToSeal = false
        _ = bench.publish()
        #expect(bench.stored?.number == 2)
    }

    @Test("a snapshot that cannot be sealed is given up, stays owed, and gets another number") func snapshot() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        bench.refusesToSeal = true
        let effects = bench.circle([1, 2], isOwnDecision: true)
        #expect(effects.allSatisfy { $0.part == nil } && bench.state.owesSnapshot)
        bench.refusesToSeal = false
        _ = bench.publish()
        #expect(!bench.state.owesSnapshot && bench.state.snapshot?.reference.number == 2)
    }

    @Test("a row that has changed again is neither published nor put into a snapshot under the old version")
    func changedRow() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        bench.rows[Sample.name(1)] = Sample.content(6)
        let name = bench.circle([1, 2], isOwnDecision: true).compactMap(\.part).first
        let record = name.flatMap { bench.parts[$0]?.draft.entries.first?.record }
        #expect(record?.state == .withheld(digest: Sample.hash(5), zone: .c))
        bench.send(.locked(.beforeFirstUnlock))
        _ = bench.write(7)
        bench.rows[Sample.name(1)] = Sample.content(8)
        bench.send(.locked(.unlocked))
        #expect(bench.publish().isEmpty)
        _ = bench.write(8)
        #expect(bench.publish() == [Sample.dot(1, 2)])
        #expect(bench.segments[Sample.dot(1, 2)]?.records.map(\.state) == [.live(Sample.content(8))])
    }
}
