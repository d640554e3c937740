import LatchkeySyncCore
import Testing

@Suite struct PublishingTests {
    @Test("nothing reaches the store before it is durable, and objects before the head that names them") func order() {
        let bench = Bench()
        _ = bench.publish()
        let sealed = bench.write(5)
        #expect(sealed.firstIndex { $0.question == .ownHead }.map { $0 > 0 } ?? false)
        let created = bench.answer(.ownHead(bench.stored))
        #expect(created.flatMap(\.createdDots) == [Sample.dot(1, 1)])
        #expect(created.allSatisfy { $0.head == nil })
        let written = bench.answer(.created([.segment(Sample.dot(1, 1))]))
        #expect(written.compactMap(\.head).map(\.number) == [bench.state.head?.number])
    }

    @Test("changes during a publication share the next segment") func batching() {
        let bench = Bench()
        _ = bench.publish()
        _ = bench.write(5, name: 1)
        _ = bench.write(6, name: 2)
        _ = bench.write(7, name: 3)
        #expect(bench.publish() == [Sample.dot(1, 1), Sample.dot(1, 2)])
        #expect(bench.segments[Sample.dot(1, 2)]?.records.count == 2)
    }

    @Test("a row that changes while it is sealed goes out with the change that is reported next")
    func changedWhileSealed() {
        let bench = Bench()
        _ = bench.publish()
        bench.whileSealing = { bench.rows[Sample.name(1)] = Sample.content(6) }
        _ = bench.write(5, name: 1)
        #expect(bench.segments.isEmpty)
        bench.change([.put(Sample.name(1), Sample.content(6))])
        #expect(bench.segments.count == 1, "at once, and not after the time for which a missing key is waited")
        #expect(bench.publish() == [Sample.dot(1, 1)])
        let records = bench.segments[Sample.dot(1, 1)]?.records ?? []
        #expect(records.map(\.state) == [.live(Sample.content(6))])
    }

    @Test("a change is known as reported only when no later one of its item waits for a version") func exhausted() {
        let bench = Bench()
        bench.state.apply(.clock(DeviceClock(epoch: .first, time: .max, count: .max - 1)))
        bench.restart()
        bench.rows[Sample.name(1)] = Sample.content(6)
        func noted(_ effects: [ReplicaEffect]) -> Bool {
            effects.contains { effect in
                guard case .commit(let transaction) = effect else { return false }
                return transaction.changes.contains(.noted(Sample.name(1)))
            }
        }
        let changes = [5, 6].map { LocalChange.put(Sample.name(1), Sample.content($0)) }
        let effects = bench.change(changes)
        let asks = effects.contains { if case .createEpoch = $0 { true } else { false } }
        #expect(asks && !noted(effects))
        #expect(!noted(bench.circle([1, 2], epoch: 2)))
        // The transaction that learned of the epoch has made the version.
        #expect(noted(bench.change([changes[1]])))
        #expect(bench.state.items[Sample.name(1)]?.digest == Sample.hash(6))
    }

    @Test("many changes go out with several heads, and no event seals them all") func portions() {
        var limits = ReplicaLimits.quickStore
        limits.recordsInPublication = 3
        let bench = Bench(limits: limits)
        _ = bench.publish()
        for name in 1...8 as ClosedRange<UInt8> { bench.rows[Sample.name(name)] = Sample.content(UInt64(name)) }
        bench.change((1...8).map { .put(Sample.name($0), Sample.content(UInt64($0))) })
        #expect(bench.segments.values.map(\.records.count) == [3])
        #expect(bench.publish() + bench.publish() == (1...3).map { Sample.dot(1, $0) })
        #expect(bench.segments.values.map(\.records.count).sorted() == [2, 3, 3])
        #expect(bench.replica.isAtRest)
    }

    @Test("after a crash the same bytes are sent again") func crash() {
        let bench = Bench()
        _ = bench.publish()
        _ = bench.write(5)
        let hash = bench.state.outbox[Sample.dot(1, 1)]?.hash
        bench.restart()
        #expect(bench.publish() == [Sample.dot(1, 1)])
        #expect(bench.state.outbox[Sample.dot(1, 1)]?.hash == hash)
    }

    @Test("a lost transaction leaves nothing behind, and the change is reported again") func lostTransaction() {
        let bench = Bench()
        let content = Sample.content(5)
        bench.rows[Sample.name(1)] = content
        let before = bench.state
        _ = bench.replica.handle(
            .changed([StampedChange(.put(Sample.name(1), content), .made(DeviceClock(time: 2)))]),
            at: Moment(uptime: 2, wallClock: 2), in: bench)
        #expect(bench.state == before)
        bench.restart()
        bench.change([.put(Sample.name(1), content)])
        #expect(bench.publish() == [Sample.dot(1, 1)])
    }

    @Test("a primary key change is a tombstone and a record in one segment, even at its limit") func rename() {
        let bench = Bench()
        _ = bench.write(5)
        _ = bench.publish()
        bench.rows = [Sample.name(2): Sample.content(5)]
        bench.change([.rename(from: Sample.name(1), to: Sample.name(2), Sample.content(5))])
        _ = bench.publish()
        let records = bench.segments[Sample.dot(1, 2)]?.records ?? []
        #expect(records.map(\.name) == [Sample.name(1), Sample.name(2)])
        #expect(records.first?.state == .gone && records.first?.base != nil && records.last?.base == nil)
    }

    @Test("the base of several unpublished changes is the version that was published") func base() {
        let bench = Bench()
        _ = bench.write(4)
        _ = bench.publish()
        let published = bench.state.items[Sample.name(1)]?.version
        bench.send(.locked(.beforeFirstUnlock))
        _ = bench.write(5)
        _ = bench.write(6)
        bench.send(.locked(.unlocked))
        #expect(bench.state.items[Sample.name(1)]?.base == published)
    }

    @Test("absent here: nothing is published, and only a greater version restores the item") func absentHere() {
        let bench = Bench()
        let first = Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])
        bench.receive([first])
        _ = bench.publish()
        bench.rows = [:]
        bench.change([.delete(Sample.name(1), leavesTombstone: false)])
        #expect(bench.publish().isEmpty)
        let same = Bench.segment(Sample.dot(2, 2), [Sample.live(5, at: Sample.version(3, by: 2))])
        bench.receive([first, same], head: 2)
        #expect(bench.rows.isEmpty)
        let greater = Bench.segment(Sample.dot(2, 3), [Sample.live(6, at: Sample.version(4, by: 2))])
        bench.receive([first, same, greater], head: 3)
        #expect(bench.rows[Sample.name(1)] == Sample.content(6))
    }

    @Test("without an epoch to write in, one is asked for once to publish, and calls have their versions") func epoch()
    {
        let bench = Bench()
        _ = bench.publish()
        bench.circle([1, 2], epoch: nil)
        let effects = bench.write(5) + bench.write(6, name: 2)
        #expect(effects.filter { if case .createEpoch = $0 { true } else { false } }.count == 1)
        bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.live(9, at: Sample.version(.max, by: 2))])])
        #expect(bench.rows[Sample.name(1)] == Sample.content(9), "the greater version of the epoch that both know")
        #expect(bench.conflicts.map(\.reason) == [.overruled])
        bench.circle([1, 2], epoch: 2)
        _ = bench.write(5)
        #expect(bench.state.items[Sample.name(1)]?.version.epoch == EpochNumber(2))
    }

    @Test("without an epoch to write in, a head asks for one as well: each member in its turn, and once")
    func headEpoch() {
        for (members, turn) in [([1, 2], 0), ([0, 1, 2], 5 * ReplicaLimits.second)] as [([UInt8], UInt64)] {
            let bench = Bench()
            _ = bench.publish()
            func asked(_ effects: [ReplicaEffect]) -> Int {
                effects.count { if case .createEpoch = $0 { true } else { false } }
            }
            bench.uptime += ReplicaLimits.day
            #expect(asked(bench.circle(members, epoch: nil)) == (turn == 0 ? 1 : 0))
            bench.uptime += turn
            #expect(asked(bench.send(.time)) == (turn == 0 ? 0 : 1))
            let wakes = bench.send(.time).compactMap { effect -> UInt64? in
                if case .wake(let time) = effect { time } else { nil }
            }
            #expect(
                wakes.allSatisfy { $0 > bench.uptime + ReplicaLimits.minute },
                "the device is not woken while it is on its way")
            let number = bench.stored?.number ?? 0
            bench.circle(members, epoch: 2)
            _ = bench.publish()
            #expect(bench.stored?.number ?? 0 > number)
        }
    }

    @Test("after a restart of the machine, its clock begins anew, and what was read is acknowledged as soon as before")
    func newUptime() {
        let bench = Bench()
        bench.uptime = 20 * ReplicaLimits.day
        _ = bench.publish()
        let number = bench.stored?.number ?? 0
        bench.uptime = ReplicaLimits.minute
        bench.state.forgetUptimes(after: bench.uptime)
        _ = bench.perform(bench.restart() + bench.answer(.ownHead(bench.stored)))
        let read = [Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])]
        var effects = bench.receive(read)
        // The heads that were shown are without the own one, so it is asked for once more.
        for _ in 0..<2 { effects += bench.answer(.ownHead(bench.stored)) }
        _ = bench.perform(effects)
        #expect(bench.stored?.body.vector[read[0].dot.stream] == 1 && bench.stored?.number != number)
    }

    @Test("acknowledgements wait for their interval, news does not, and a quiet day has one head") func rates() {
        let bench = Bench()
        _ = bench.publish()
        let first = bench.stored?.number ?? 0
        bench.receive([Bench.segment(Sample.dot(2, 1), [Sample.live(5, at: Sample.version(3, by: 2))])])
        #expect(bench.state.head?.number == first, "the last head is too fresh")
        _ = bench.publish()
        #expect(bench.stored?.number == first + 1)
        _ = bench.write(6, name: 2)
        #expect(bench.state.head?.number == first + 2)
        _ = bench.publish()
        let last = bench.stored?.number ?? 0
        for _ in 0..<11 { _ = bench.publish() }
        #expect(bench.stored?.number == last, "nothing changed within some hours")
        bench.uptime += ReplicaLimits.day
        _ = bench.publish()
        #expect(bench.stored?.number == last + 1)
    }
}
