import LatchkeySyncCore
import Testing

@Suite struct SnapshotWritingTests {
    private static func part(_ number: Int) -> ObjectName {
        .snapshotPart(Sample.device(1), number: 1, part: number)
    }

    /// A device with three items of which each part has one.
    private static func bench() -> Bench {
        var limits = ReplicaLimits.quickStore
        limits.bytesInSnapshotPart = 300
        let bench = Bench(limits: limits)
        for name in 1...3 as ClosedRange<UInt8> { _ = bench.write(UInt64(name), name: name) }
        _ = bench.publish()
        return bench
    }

    @Test("parts are written one after another, and the head names them when the last is stored") func parts() {
        let bench = Self.bench()
        var effects = bench.circle([1, 2], isOwnDecision: true)
        for number in 0..<3 {
            #expect(effects.compactMap(\.part) == [Self.part(number)])
            #expect(bench.state.snapshot == nil)
            effects = bench.answer(.created([Self.part(number)]))
        }
        #expect(bench.state.snapshot?.reference.partCount == 3)
        let names = (0..<3).compactMap { bench.parts[Self.part($0)]?.draft.entries.map(\.record.name) }
        #expect(names == [[Sample.name(1)], [Sample.name(2)], [Sample.name(3)]])
    }

    @Test("an item that changes between two parts has its new dot, which the vector does not cover") func change() {
        let bench = Self.bench()
        _ = bench.circle([1, 2], isOwnDecision: true)
        _ = bench.write(9, name: 3)
        var created: [ObjectName] = []
        var effects = bench.answer(.created([Self.part(0)])) + bench.answer(.ownHead(bench.stored))
        for _ in 0..<4 {
            created += effects.compactMap(\.part)
            effects = created.last.map { bench.answer(.created([$0])) } ?? []
        }
        let last = bench.parts[Self.part(2)]?.draft
        #expect(last?.entries.first?.record.digest == Sample.hash(9))
        #expect(last.map { !$0.vector.covers($0.entries[0].dot) } ?? false)
    }

    @Test("a row that changes while its part is sealed gives the snapshot up, and the next one has the change")
    func sealed() {
        let bench = Self.bench()
        _ = bench.circle([1, 2], isOwnDecision: true)
        bench.whileSealing = { bench.rows[Sample.name(2)] = Sample.content(8) }
        #expect(bench.answer(.created([Self.part(0)])).allSatisfy { $0.part == nil })
        var effects = bench.change([.put(Sample.name(2), Sample.content(8))])
        effects += bench.answer(.ownHead(bench.stored))
        effects += bench.answer(.created([.segment(Sample.dot(1, 2))]))
        if let head = effects.last(where: { $0.head != nil })?.head {
            effects += bench.answer(.headWritten(head.number))
        }
        bench.uptime += 11 * ReplicaLimits.second
        // The time has not come for which a missing key is waited.
        effects += bench.answer(.heads([]))
        #expect(effects.compactMap(\.part).first == .snapshotPart(Sample.device(1), number: 2, part: 0))
    }

    @Test("a lock in between gives the snapshot up") func locked() {
        let bench = Self.bench()
        _ = bench.circle([1, 2], isOwnDecision: true)
        bench.send(.locked(.locked))
        #expect(bench.answer(.created([Self.part(0)])).allSatisfy { $0.part == nil })
        bench.uptime += ReplicaLimits.minute
        let effects = bench.send(.locked(.unlocked)) + bench.send(.time)
        #expect(effects.compactMap(\.part) == [.snapshotPart(Sample.device(1), number: 2, part: 0)])
    }

    @Test("a new epoch in between gives the snapshot up: later versions do not belong into the old one") func epoch() {
        let bench = Self.bench()
        _ = bench.circle([1, 2], isOwnDecision: true)
        bench.circle([1, 2], epoch: 2)
        #expect(bench.answer(.created([Self.part(0)])).allSatisfy { $0.part == nil })
        bench.uptime += ReplicaLimits.minute
        let effects = bench.send(.time)
        #expect(effects.compactMap(\.part) == [.snapshotPart(Sample.device(1), number: 2, part: 0)])
    }

    @Test("a version of a later epoch in between gives it up, although the epoch to write in stays") func version() {
        let bench = Self.bench()
        _ = bench.circle([1, 2], isOwnDecision: true)
        let later = Sample.live(9, at: Sample.version(3, epoch: 2, by: 2), name: 3)
        bench.receive([Bench.segment(Sample.dot(2, 1), [later], epoch: 2)])
        #expect(bench.state.clock.epoch == EpochNumber(2))
        #expect(bench.answer(.created([Self.part(0)])).allSatisfy { $0.part == nil })
        #expect(bench.state.snapshot == nil && bench.state.owesSnapshot)
    }

    @Test("only all parts together stand for segments") func readBack() {
        let bench = Self.bench()
        _ = bench.circle([1, 2], isOwnDecision: true)
        for number in 0..<3 { bench.answer(.created([Self.part(number)])) }
        for number in 0..<3 {
            #expect(!(bench.state.snapshot?.wasReadBack ?? true))
            let sealed = bench.parts[Self.part(number)]?.sealed
            bench.answer(.snapshotPart(Sample.device(1), number: 1, part: number, sealed))
        }
        #expect(bench.state.snapshot?.wasReadBack ?? false)
    }
}
