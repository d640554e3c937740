import LatchkeySyncCore
import Testing

@Suite struct AlarmTests {
    @Test("an own head that this device does not remember stops it: it was restored, or runs twice") func clone() {
        for (number, salt) in [(9, 0), (1, 1)] as [(UInt64, UInt64)] {
            let bench = Bench()
            _ = bench.publish()
            let effects = bench.answer(.heads([bench.head(1, number, [], salt: salt)]))
            #expect(effects.contains(.identityDuplicated))
            #expect(bench.write(5).isEmpty)
            let restarted = bench.restart()
            #expect(restarted.allSatisfy { $0.question == nil }, "also after a restart")
        }
    }

    @Test("an own head that another took the place of stops it, although the next one is prepared") func taken() {
        let bench = Bench()
        _ = bench.publish()
        let number = bench.stored?.number ?? 0
        _ = bench.write(5)
        #expect(bench.state.head?.number == number + 1)
        let effects = bench.answer(.ownHead(bench.head(1, number, [], salt: 1)))
        #expect(effects.contains(.identityDuplicated))
    }

    @Test("two heads with one number stop the reading of their device") func twoHeads() {
        let bench = Bench()
        bench.answer(.heads([bench.head(2, 1, [])]))
        let effects = bench.answer(.heads([bench.head(2, 1, [], salt: 1)]))
        #expect(effects.contains(.deviceDuplicated(Sample.device(2))))
        bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])], head: 2)
        #expect(bench.rows.isEmpty)
    }

    @Test("a segment that does not continue the chain stops the reading of its device") func chain() {
        let bench = Bench()
        let first = Bench.segment(Sample.dot(2, 1), [])
        let second = Bench.segment(Sample.dot(2, 2), [], previous: Sample.hash(66))
        #expect(bench.receive([first, second]).contains(.deviceDuplicated(Sample.device(2))))
        #expect(bench.state.vector[first.dot.stream] == 1)
    }

    @Test("an older head raises an alarm, which ends with a newer one; nothing is discarded") func rollback() {
        let bench = Bench()
        let segment = Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])
        bench.receive([segment], head: 5)
        let alarm = SyncAlarm.storeRolledBack(Sample.device(2))
        #expect(bench.answer(.heads([bench.head(2, 4, [])])).contains(alarm))
        #expect(bench.rows.count == 1 && bench.state.seen[Sample.device(2)]?.number == 5)
        let ended = bench.answer(.heads([bench.head(2, 5, [segment])]))
        #expect(ended.contains { if case .clear(alarm) = $0 { true } else { false } })
    }

    @Test("a lower head with more segments is that of a device that was put back, and the store did not go back")
    func putBack() {
        let bench = Bench(members: [1, 2, 3])
        let stream = Sample.dot(3, 1).stream
        bench.answer(.heads([bench.head(2, 5, [], vector: VersionVector([stream: 1]))]))
        for (number, last, isOld) in [(2, 0, true), (3, 1, true), (4, 2, false)] as [(UInt64, UInt64, Bool)] {
            let effects = bench.answer(.heads([bench.head(2, number, [], vector: VersionVector([stream: last]))]))
            #expect(effects.contains { if case .clear = $0 { true } else { false } } != isOld)
            #expect(bench.state.seen[Sample.device(2)]?.number == (isOld ? 5 : number))
        }
    }

    @Test("an own head that the store lost is written again, with every object") func lost() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        bench.stored = nil
        let effects = bench.answer(.heads([]))
        #expect(effects.contains { $0.question == .ownHead } || !bench.publish().isEmpty)
        _ = bench.publish()
        #expect(bench.stored?.number == bench.state.head?.number)
    }

    @Test("segments that a member has and the store does not show raise an alarm after the interval") func withheld() {
        let bench = Bench(members: [1, 2, 3])
        let stream = Sample.dot(2, 1).stream
        let alarm = SyncAlarm.withheld(stream)
        let head = bench.head(3, 1, [], vector: VersionVector([stream: 1]))
        #expect(!bench.answer(.heads([head])).contains(alarm))
        bench.uptime += 14 * ReplicaLimits.minute
        #expect(!bench.answer(.heads([head])).contains(alarm))
        bench.uptime += 2 * ReplicaLimits.minute
        #expect(bench.answer(.heads([head])).contains(alarm))
        let segment = Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])
        let ended = bench.receive([segment])
        #expect(ended.contains { if case .clear(alarm) = $0 { true } else { false } })
    }

    @Test("a segment that waits for a key is not withheld") func waiting() {
        let bench = Bench(lock: .locked)
        let segment = Bench.segment(Sample.dot(2, 1, zone: .a), [])
        bench.receive([segment])
        bench.uptime += ReplicaLimits.day
        #expect(bench.send(.time).allSatisfy { $0.raised == nil })
    }

    @Test("what the streams of a distrusted device lack is not watched") func distrusted() {
        let bench = Bench(members: [1, 2, 3])
        bench.answer(.heads([bench.head(3, 1, [], vector: VersionVector([Sample.dot(2, 1).stream: 1]))]))
        bench.send(.evidence(against: Sample.device(2)))
        bench.uptime += ReplicaLimits.hour
        _ = bench.publish()
        bench.uptime += ReplicaLimits.minute
        let wakes = bench.send(.time).compactMap { effect -> UInt64? in
            if case .wake(let time) = effect { time } else { nil }
        }
        #expect(wakes.allSatisfy { $0 > bench.uptime + ReplicaLimits.minute })
    }

    @Test("a malformed segment is skipped and its author named") func malformed() {
        let late = Sample.live(5, at: Sample.version(3, epoch: 2, by: 2))
        let otherZone = Sample.live(5, at: Sample.version(3, by: 2), zone: .a)
        for record in [late, otherZone] {
            let bench = Bench()
            let effects = bench.receive([Bench.segment(Sample.dot(2, 1), [record])])
            #expect(effects.contains(.malformed(Sample.device(2))))
            #expect(bench.rows.isEmpty && bench.state.vector[Sample.dot(2, 1).stream] == 1)
        }
    }

    @Test("a segment that no head names has no effect") func unreferenced() {
        let bench = Bench()
        bench.answer(.heads([bench.head(2, 1, [])]))
        bench.show([Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])])
        #expect(bench.rows.isEmpty && bench.state.pending.isEmpty)
    }
}
