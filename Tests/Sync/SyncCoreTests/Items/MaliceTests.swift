import LatchkeySyncCore
import Testing

/// The word of a member that lies about others, or about what does not exist. It may cost that member's own items, and nothing else.
@Suite struct MaliceTests {
    private static let stream = Sample.dot(2, 1).stream

    /// Shows a snapshot of device 2 that covers what its streams have lost, and says of other streams what `vector` does.
    private static func shown(
        _ vector: [StreamIdentifier: UInt64], clock: DeviceClock = DeviceClock(), on bench: Bench
    ) -> [ReplicaEffect] {
        let vector = VersionVector(vector.merging([stream: 5]) { one, _ in one })
        let entry = SnapshotEntry(record: Sample.live(5, at: Sample.version(3, by: 2)), dot: Sample.dot(2, 3))
        let snapshot = SampleSnapshot(2, vector: vector, clock: clock, parts: [[entry]])
        return bench.receive([], head: 7, first: .init(a: 1, c: 6), snapshot: snapshot.reference)
            + bench.show(snapshot)
    }

    // MARK: Vectors of snapshots

    @Test(
        "a snapshot that counts segments that no head names is not loaded until one does",
        arguments: [1 << 60, 2] as [UInt64])
    func uncounted(_ number: UInt64) {
        let bench = Bench(members: [1, 2, 3])
        let honest = Bench.segment(Sample.dot(3, 1), [Sample.live(6, at: Sample.version(4, by: 3), name: 2)])
        let next = Bench.segment(Sample.dot(3, 2), [Sample.live(7, at: Sample.version(5, by: 3), name: 2)])
        bench.receive([honest], from: 3)
        _ = Self.shown([honest.dot.stream: number], on: bench)
        #expect(bench.rows[Sample.name(1)] == nil)
        #expect(bench.state.vector[honest.dot.stream] == 1, "the device is read as before")
        bench.receive([honest, next], from: 3, head: 2)
        #expect(bench.rows[Sample.name(2)] == Sample.content(7))
        let shown = Self.shown([honest.dot.stream: number], on: bench)
        #expect(bench.rows[Sample.name(1)] == (number == 2 ? Sample.content(5) : nil), "\(shown)")
    }

    @Test("a snapshot that names a device of which there is no statement is not loaded") func invented() {
        let bench = Bench()
        _ = Self.shown([Sample.dot(77, 1).stream: 1], on: bench)
        #expect(bench.rows.isEmpty && bench.state.vector.streams.isEmpty)
    }

    @Test("a snapshot does not take the numbers of this device's own stream away") func ownStream() {
        let bench = Bench()
        _ = Self.shown([Sample.dot(1, 1).stream: 1 << 61], on: bench)
        #expect(bench.state.vector[Sample.dot(1, 1).stream] == 0)
    }

    // MARK: Clocks

    @Test("a clock of a later epoch than that of the snapshot makes it malformed, and is not taken over")
    func snapshotClock() {
        let bench = Bench()
        let shown = Self.shown([:], clock: DeviceClock(epoch: EpochNumber(.max), time: 1), on: bench)
        #expect(shown.contains(.malformed(Sample.device(2))))
        #expect(bench.state.clock.epoch <= .first)
        _ = bench.write(6)
        #expect(bench.publish() == [Sample.dot(1, 1)], "this device goes on in the epoch that there is")
    }

    @Test("a joining device does not take over a clock of an epoch that does not exist") func headClock() {
        for epoch in [1, 2] as [UInt32] {
            let bench = Bench(hasJoined: false)
            let clock = DeviceClock(epoch: EpochNumber(epoch), time: 9)
            bench.answer(.heads([bench.head(2, 1, [], clock: clock)]))
            #expect(bench.state.hasJoined)
            #expect((bench.state.clock == clock) == (epoch == 1))
        }
    }

    // MARK: Heads

    @Test("segments of one device that the store lacks do not keep those of others waiting") func starvation() {
        let bench = Bench(members: [1, 2, 3, 4])
        var streams = PerZone(both: StreamSummary())
        streams.c = StreamSummary(first: 1, last: 1 << 61)
        let liar = bench.head(2, 1, [])
        let body = Head.Body(
            statementHeads: liar.body.statementHeads, streams: streams, snapshot: nil, vector: .init(), digest: nil,
            clock: DeviceClock())
        let head = Head(device: liar.device, number: 1, date: 0, body: body, hash: liar.hash)
        let honest = [3, 4].map { Bench.segment(Sample.dot($0, 1), []) }
        let effects = bench.answer(
            .heads([head, bench.head(3, 1, [honest[0]]), bench.head(4, 1, [honest[1]])]))
        let asked = effects.compactMap { effect -> [Dot]? in
            if case .segments(let dots)? = effect.question { dots } else { nil }
        }.joined()
        #expect(asked.contains(honest[0].dot) && asked.contains(honest[1].dot))
        #expect(asked.count <= ReplicaLimits.quickStore.segmentsInRound)
    }

    @Test("a head that names statements which the store does not show raises an alarm after the interval")
    func statements() {
        let bench = Bench()
        let alarm = SyncAlarm.statementsWithheld(from: Sample.device(2))
        let head = bench.head(2, 1, [], statements: [Sample.hash(1), Sample.hash(2)])
        #expect(!bench.answer(.heads([head])).contains(alarm))
        bench.uptime += 14 * ReplicaLimits.minute
        #expect(!bench.answer(.heads([head])).contains(alarm))
        bench.uptime += 2 * ReplicaLimits.minute
        #expect(bench.send(.time).contains(alarm))
        let known = bench.answer(.heads([bench.head(2, 2, [])]))
        #expect(known.contains { if case .clear(alarm) = $0 { true } else { false } })
    }

    @Test("the head of a twin stops this device also where it lies beside the own one, with its number") func copy()
        throws
    {
        let bench = Bench()
        _ = bench.publish()
        let own = try #require(bench.stored)
        let twin = bench.head(1, own.number, [], salt: 1)
        for heads in [[own, twin], [twin, own]] {
            let copied = Bench()
            _ = copied.publish()
            #expect(copied.answer(.heads(heads)).contains(.identityDuplicated))
        }
    }
}
