import LatchkeySyncCore
import LatchkeySyncSimulation
import Testing

/// Rows without a version: restored ones, and those of a group that was allowed later.
@Suite struct UnversionedTests {
    private static let name = Sample.name(1)

    /// A device that has restored an item of the date 10 over one that is published, and then reads a record with it.
    private static func bench(_ stamp: ChangeStamp, without rule: SimulatedRule? = nil) -> Bench {
        let bench = Bench(without: rule)
        _ = bench.write(4)
        _ = bench.publish()
        bench.uptime += 1_000
        let restored = Sample.content(5, modified: 10)
        bench.rows[name] = restored
        bench.refusesToSeal = true
        bench.send(.changed([StampedChange(.put(name, restored), stamp)]))
        bench.refusesToSeal = false
        return bench
    }

    private static func read(_ record: SyncRecord, on bench: Bench) {
        bench.receive([Bench.segment(Sample.dot(2, 1), [record])])
    }

    @Test("restore, later: a deletion that comes before the restored item is published wins if it is newer")
    func deletedLater() {
        let time: UInt64 = 1_000_500
        for (stamp, rule, stays) in [
            (ChangeStamp.none(isRestored: true), nil, false),
            (.none(isRestored: true), SimulatedRule.unversionedWaits, true),
            (.made(DeviceClock(time: 1_001_000)), nil, true),
        ] as [(ChangeStamp, SimulatedRule?, Bool)] {
            let bench = Self.bench(stamp, without: rule)
            Self.read(Sample.gone(at: Sample.version(time, by: 2)), on: bench)
            #expect((bench.rows[Self.name] != nil) == stays, "\(stamp)")
            if !stays { #expect(bench.conflicts.map(\.reason) == [.deleted]) }
        }
    }

    @Test("a row of a group that is allowed later is not taken by a deletion, and the newer date wins over a record")
    func groups() {
        for (isGone, modified, stays) in [(true, 0, true), (false, 5, true), (false, 20, false)]
            as [(Bool, UInt64, Bool)]
        {
            let bench = Self.bench(.none(isRestored: false))
            let version = Sample.version(1_000_500, by: 2)
            let record =
                isGone
                ? Sample.gone(at: version)
                : SyncRecord(
                    name: Self.name, version: version, base: nil, state: .live(Sample.content(6, modified: modified)))
            Self.read(record, on: bench)
            #expect(bench.rows[Self.name]?.digest == Sample.hash(stays ? 5 : 6))
        }
    }

    @Test("a row without a version is published after a round of reading, with a version of now") func published() {
        let bench = Self.bench(.none(isRestored: true))
        bench.uptime += 400 * ReplicaLimits.second
        bench.send(.time)
        bench.answer(.ownHead(bench.stored))
        #expect(bench.segments[Sample.dot(1, 2)] == nil, "something might be in the store that it loses to")
        _ = bench.publish()
        let record = bench.segments[Sample.dot(1, 2)]?.records.first
        #expect(record?.digest == Sample.hash(5) && record?.version ?? Sample.version(0) > Sample.version(1_000_500))
    }

    @Test("no epoch is asked for if the clock cannot be stored, and it is tried again") func unstored() {
        let bench = Self.bench(.none(isRestored: true))
        bench.failsToStoreClocks = true
        for _ in 0..<4 {
            bench.uptime += 400 * ReplicaLimits.second
            let effects = bench.answer(.heads([])) + bench.send(.time) + bench.answer(.ownHead(bench.stored))
            #expect(!effects.contains { if case .createEpoch = $0 { true } else { false } })
        }
        #expect(bench.failedClocks > 0 && bench.segments[Sample.dot(1, 2)] == nil)
        bench.failsToStoreClocks = false
        _ = bench.publish()
        #expect(bench.segments[Sample.dot(1, 2)] != nil)
    }

    @Test("a call whose version is not greater loses, and is kept: never needed while the rules hold") func losing() {
        for isRuled in [true, false] {
            let bench = Bench(without: isRuled ? nil : .keptVersionsLose)
            bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.live(9, at: Sample.version(.max, by: 2))])])
            bench.rows[Self.name] = Sample.content(5)
            bench.send(.changed([StampedChange(.put(Self.name, Sample.content(5)), .made(DeviceClock(time: 3)))]))
            #expect((bench.conflicts.map(\.reason) == [.overruled]) == isRuled)
            #expect((bench.state.items[Self.name]?.state == .missing) == isRuled)
        }
    }
}
