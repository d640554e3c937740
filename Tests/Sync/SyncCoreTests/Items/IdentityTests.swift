import LatchkeySyncCore
import Testing

/// Proofs and mere words that this device is not the only one with its identity.
@Suite struct IdentityTests {
    private static let own = Sample.dot(1, 1)
    private static let unknown = VersionVector([own.stream: 1])
    private static let alarm = SyncAlarm.ownSegmentsUnknown(by: Sample.device(2))

    /// A device that is about to create its first segment.
    private static func creating() -> Bench {
        let bench = Bench()
        _ = bench.publish()
        _ = bench.write(5)
        bench.answer(.ownHead(bench.stored))
        return bench
    }

    private static func outboxHash(_ bench: Bench) throws -> ObjectHash {
        try #require(bench.state.outbox[own]?.hash)
    }

    // MARK: The word of a member

    @Test("a member that has unknown own segments raises an alarm, and the first of them is asked for") func claim() {
        let bench = Bench()
        let effects = bench.answer(.heads([bench.head(2, 1, [], vector: Self.unknown)]))
        #expect(effects.contains(Self.alarm))
        #expect(!effects.contains(.identityDuplicated))
        #expect(effects.contains { $0.question == .ownObject(.segment(Self.own)) })
    }

    @Test("meanwhile nothing is published, and each round asks again") func holds() {
        let bench = Bench()
        let head = bench.head(2, 1, [], vector: Self.unknown)
        bench.answer(.heads([head]))
        bench.answer(.ownObject(.segment(Self.own), nil))
        #expect(bench.write(5).allSatisfy { $0.question == nil }, "the change waits")
        bench.uptime += ReplicaLimits.day
        #expect(bench.send(.time).allSatisfy { $0.question != .ownHead })
        let again = bench.answer(.heads([head]))
        #expect(again.contains { $0.question == .ownObject(.segment(Self.own)) })
        #expect(bench.state.duplicated.isEmpty)
    }

    @Test("the segment, signed with the keys of this device, is the proof") func proof() {
        let bench = Bench()
        bench.answer(.heads([bench.head(2, 1, [], vector: Self.unknown)]))
        #expect(bench.answer(.ownObject(.segment(Self.own), Sample.hash(8))).contains(.identityDuplicated))
    }

    @Test("when the member is removed, the device goes on") func removal() {
        let bench = Bench(members: [1, 2, 3])
        bench.answer(.heads([bench.head(2, 1, [], vector: Self.unknown)]))
        _ = bench.write(5)
        _ = bench.circle([1, 3], removed: [2: CountedSegments()])
        #expect(bench.publish() == [Self.own])
    }

    @Test("when the member takes it back, the alarm ends and the device goes on") func takenBack() {
        let bench = Bench()
        bench.answer(.heads([bench.head(2, 1, [], vector: Self.unknown)]))
        let ended = bench.answer(.heads([bench.head(2, 2, [])]))
        #expect(ended.contains { if case .clear(Self.alarm) = $0 { true } else { false } })
        _ = bench.write(5)
        #expect(bench.publish() == [Self.own])
    }

    @Test("a restart forgets neither the claim nor a proof") func restart() {
        let bench = Bench()
        bench.answer(.heads([bench.head(2, 1, [], vector: Self.unknown)]))
        bench.restart()
        #expect(bench.write(5).allSatisfy { $0.question != .ownHead })
        bench.answer(.ownObject(.segment(Self.own), Sample.hash(8)))
        #expect(bench.restart().contains(.identityDuplicated), "the alarm is raised again")
    }

    // MARK: The word of the store

    @Test("a store that has something else in the place of a segment is asked for it") func taken() {
        let bench = Self.creating()
        let effects = bench.answer(.taken(.segment(Self.own)))
        #expect(effects.contains { $0.question == .ownObject(.segment(Self.own)) })
        #expect(!effects.contains(.identityDuplicated))
    }

    @Test("another segment with this device's signature is the proof") func otherSegment() {
        let bench = Self.creating()
        bench.answer(.taken(.segment(Self.own)))
        #expect(bench.answer(.ownObject(.segment(Self.own), Sample.hash(8))).contains(.identityDuplicated))
    }

    @Test("what this device has not signed is removed, and the segment is written after a pause") func rubbish() {
        let bench = Self.creating()
        bench.answer(.taken(.segment(Self.own)))
        let effects = bench.answer(.ownObject(.segment(Self.own), nil))
        #expect(effects.flatMap(\.removed) == [.segment(Self.own)])
        #expect(bench.publish() == [Self.own])
    }

    @Test("the same content under another signature counts as created") func otherSignature() throws {
        let bench = Self.creating()
        bench.answer(.taken(.segment(Self.own)))
        let hash = try Self.outboxHash(bench)
        let effects = bench.answer(.ownObject(.segment(Self.own), hash))
        #expect(effects.contains { $0.head != nil })
        #expect(bench.state.duplicated.isEmpty)
    }

    @Test("the word about an object of another device has no effect") func otherName() {
        let bench = Self.creating()
        #expect(bench.answer(.taken(.segment(Sample.dot(2, 1)))).allSatisfy { $0.question == nil })
    }

    @Test("a part of a snapshot under a number that this device never gave is a proof") func part() {
        let bench = Bench()
        let name = ObjectName.snapshotPart(Sample.device(1), number: 7, part: 0)
        #expect(bench.answer(.ownObject(name, Sample.hash(8))).contains(.identityDuplicated))
    }
}
