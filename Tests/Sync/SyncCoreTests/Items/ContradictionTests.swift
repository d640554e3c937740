import LatchkeySyncCore
import Testing

/// Two segments under one number.
@Suite struct ContradictionTests {
    private static let dot = Sample.dot(2, 1)
    private static let segment = Bench.segment(dot, [Sample.live(5, at: Sample.version(3, by: 2))])

    private static func bench() -> Bench {
        let bench = Bench(members: [1, 2, 3])
        bench.receive([segment])
        return bench
    }

    private static func witness(_ bench: Bench, mark: SegmentMark) -> Head {
        bench.head(3, 1, [], vector: VersionVector([dot.stream: 1]), marks: [dot.stream: mark])
    }

    private static func other() -> SampleSegment {
        let seal = ObjectSeal(hash: Sample.hash(99), byteCount: 1_000)
        let sealed = SealedSegment(
            dot: dot, epoch: Sample.hash(1), previous: nil, knows: VersionVector(), seal: seal)
        return SampleSegment(sealed: sealed, opened: segment.opened)
    }

    @Test("heads carry the marks of the segments that their device has") func marks() {
        let bench = Self.bench()
        _ = bench.publish()
        #expect(bench.stored?.body.marks[Self.dot.stream] == Self.segment.sealed.hash.mark)
    }

    @Test("a member with another mark raises an alarm, and the segment is fetched; its word proves nothing") func word()
    {
        let bench = Self.bench()
        let head = Self.witness(bench, mark: Sample.hash(99).mark)
        let effects = bench.answer(.heads([head]))
        #expect(effects.contains(.contradicted(Self.dot.stream, by: Sample.device(3))))
        #expect(effects.contains { $0.question == .segments([Self.dot]) })
        bench.show([Self.segment])
        #expect(bench.state.duplicated.isEmpty)
    }

    @Test("the alarm ends with an equal mark") func ends() {
        let bench = Self.bench()
        bench.answer(.heads([Self.witness(bench, mark: Sample.hash(99).mark)]))
        let alarm = SyncAlarm.contradicted(Self.dot.stream, by: Sample.device(3))
        let ended = bench.answer(.heads([Self.witness(bench, mark: Self.segment.sealed.hash.mark)]))
        #expect(ended.contains { if case .clear(alarm) = $0 { true } else { false } })
    }

    @Test("after the removal of the author nothing decides it, and the alarm ends") func removed() {
        let bench = Self.bench()
        bench.answer(.heads([Self.witness(bench, mark: Sample.hash(99).mark)]))
        let alarm = SyncAlarm.contradicted(Self.dot.stream, by: Sample.device(3))
        let ended = bench.circle([1, 3], removed: [2: CountedSegments(c: 1)])
        #expect(ended.contains { if case .clear(alarm) = $0 { true } else { false } })
        #expect(!bench.answer(.heads([Self.witness(bench, mark: Sample.hash(99).mark)])).contains(alarm))
    }

    @Test("a second signed segment under one number proves that its author runs twice") func proof() {
        let bench = Self.bench()
        let effects = bench.show([Self.other()])
        #expect(effects.contains(.deviceDuplicated(Sample.device(2))))
        let reported = effects.compactMap { effect -> Contradiction? in
            if case .report(let contradiction) = effect { contradiction } else { nil }
        }
        #expect(reported == [.segments(Self.dot, Self.segment.sealed.hash, Sample.hash(99))])
    }

    @Test("evidence of another member ends the reading of a device; against this one it ends the writing")
    func evidence() {
        let bench = Self.bench()
        #expect(bench.send(.evidence(against: Sample.device(2))).contains(.deviceDuplicated(Sample.device(2))))
        #expect(bench.send(.evidence(against: Sample.device(1))).contains(.identityDuplicated))
        #expect(bench.write(6).isEmpty)
    }
}
