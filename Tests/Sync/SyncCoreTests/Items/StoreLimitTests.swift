import LatchkeySyncCore
import Testing

/// A device that has as much in the store as the circle allows. Segments and parts have 1,000 bytes here.
@Suite struct StoreLimitTests {
    private static func bench(lock: SyncLockState = .unlocked) -> Bench { Bench(lock: lock, members: [1]) }

    /// Makes a limit known.
    @discardableResult
    private static func limit(_ bytes: Int64, _ bench: Bench) -> [ReplicaEffect] {
        let view = CircleView(
            members: [Sample.device(1)], writingEpoch: EpochName(number: .first, hash: Sample.hash(1)),
            statementHeads: [Sample.hash(1)], storedByteLimit: bytes)
        return bench.send(.circle(view, statements: [Sample.hash(1)], isOwnDecision: false))
    }

    private static func put(_ name: UInt8, _ bench: Bench) -> [ReplicaEffect] { bench.write(UInt64(name), name: name) }

    private static func isPublished(_ name: UInt8, _ bench: Bench) -> Bool {
        bench.state.items[Sample.name(name)]?.dot != nil
    }

    /// Publishes, writes a snapshot if one is due, and reads it back.
    private static func exchange(_ bench: Bench) {
        for _ in 0..<8 {
            bench.uptime += 400 * ReplicaLimits.second
            _ = bench.perform(bench.send(.answer(.heads([]))))
            _ = bench.perform(bench.send(.time) + bench.answer(.ownHead(bench.stored)))
        }
    }

    @Test("at the limit a snapshot takes the place of the segments, and makes room") func snapshot() {
        let bench = Self.bench()
        Self.limit(3_000, bench)
        for name in 1...3 as ClosedRange<UInt8> {
            _ = Self.put(name, bench)
            Self.exchange(bench)
        }
        #expect(bench.state.snapshot?.wasReadBack ?? false, "long before the 1,000 segments of the ordinary rule")
        #expect(bench.state.outbox.isEmpty && bench.replica.storedByteCount == 1_000)
        _ = Self.put(4, bench)
        Self.exchange(bench)
        #expect(Self.isPublished(4, bench))
    }

    @Test("contents wait if a snapshot alone reaches the limit; deletions do not, and make room") func held() {
        let bench = Self.bench()
        Self.limit(1_000, bench)
        _ = Self.put(1, bench)
        Self.exchange(bench)
        #expect(bench.state.outbox.isEmpty && bench.replica.storedByteCount == 1_000)
        let effects = Self.put(2, bench)
        #expect(effects.contains(.storeLimitReached))
        Self.exchange(bench)
        #expect(!Self.isPublished(2, bench) && bench.replica.waitingChanges == 1 && !bench.replica.isAtRest)

        bench.rows[Sample.name(1)] = nil
        bench.change([.delete(Sample.name(1), leavesTombstone: true)])
        Self.exchange(bench)
        #expect(bench.state.items[Sample.name(1)] == nil || Self.isPublished(1, bench))
        #expect(Self.isPublished(2, bench) && bench.replica.waitingChanges == 0)
        #expect(bench.state.snapshot?.reference.number == 2, "one without the deleted item")
        #expect(bench.replica.storedByteCount == 1_000)
    }

    @Test("a greater limit ends the wait and the alarm") func raised() {
        let bench = Self.bench()
        Self.limit(1_000, bench)
        _ = Self.put(1, bench)
        Self.exchange(bench)
        _ = Self.put(2, bench)
        #expect(!Self.isPublished(2, bench))
        let effects = Self.limit(10_000, bench)
        #expect(effects.contains { if case .clear(.storeLimitReached) = $0 { true } else { false } })
        Self.exchange(bench)
        #expect(Self.isPublished(2, bench))
    }

    @Test("a locked device holds contents back at the limit, and writes the snapshot when it is unlocked") func locked()
    {
        let bench = Self.bench(lock: .locked)
        Self.limit(2_000, bench)
        for name in 1...3 as ClosedRange<UInt8> {
            _ = Self.put(name, bench)
            Self.exchange(bench)
        }
        #expect(Self.isPublished(2, bench) && !Self.isPublished(3, bench))
        #expect(bench.state.snapshot == nil)
        bench.send(.locked(.unlocked))
        Self.exchange(bench)
        #expect(Self.isPublished(3, bench) && bench.state.snapshot?.wasReadBack ?? false)
        #expect(bench.replica.storedByteCount == 1_000)
    }

    @Test("what other devices have written is received all the same") func receiving() {
        let bench = Bench()
        let view = CircleView(
            members: Set([1, 2].map(Sample.device)), writingEpoch: EpochName(number: .first, hash: Sample.hash(1)),
            statementHeads: [Sample.hash(1)], storedByteLimit: 0)
        bench.send(.circle(view, statements: [Sample.hash(1)], isOwnDecision: false))
        bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(9, by: 2))])])
        #expect(bench.rows[Sample.name(1)] != nil)
    }
}
