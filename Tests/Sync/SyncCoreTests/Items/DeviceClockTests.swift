import LatchkeySyncCore
import Testing

@Suite struct DeviceClockTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let rule: String
        let clock: DeviceClock
        let epoch: UInt32
        let wallClock: UInt64
        let next: ItemVersion?
        var testDescription: String { rule }
    }

    private static func clock(_ epoch: UInt32, _ time: UInt64, _ count: UInt32 = 0) -> DeviceClock {
        DeviceClock(epoch: EpochNumber(epoch), time: time, count: count)
    }

    static let rows = [
        Row(
            rule: "the wall clock counts if it is later", clock: clock(1, 5, 9), epoch: 1, wallClock: 8,
            next: Sample.version(8)),
        Row(
            rule: "at the same time the count rises", clock: clock(1, 5, 9), epoch: 1, wallClock: 5,
            next: Sample.version(5, count: 10)),
        Row(
            rule: "a wall clock that went back does not take the versions back", clock: clock(1, 5, 9), epoch: 1,
            wallClock: 0, next: Sample.version(5, count: 10)),
        Row(
            rule: "a full count moves the time", clock: clock(1, 5, .max), epoch: 1, wallClock: 5,
            next: Sample.version(6)),
        Row(
            rule: "a new epoch starts at the wall clock, whatever the time of the old one was",
            clock: clock(1, .max, .max), epoch: 2, wallClock: 3, next: Sample.version(3, epoch: 2)),
        Row(rule: "an older epoch gives no versions", clock: clock(2, 5), epoch: 1, wallClock: 8, next: nil),
        Row(
            rule: "an epoch whose last version was used gives no more", clock: clock(1, .max, .max), epoch: 1,
            wallClock: 8, next: nil),
    ]

    @Test("the next version", arguments: rows) func next(_ row: Row) {
        var clock = row.clock
        let version = clock.next(in: EpochNumber(row.epoch), wallClock: row.wallClock)?
            .version(of: Sample.device(1))
        #expect(version == row.next)
        #expect(version.map { DeviceClock($0) } ?? row.clock == clock)
        if version != nil { #expect(clock > row.clock) }
    }

    @Test("the clock goes forward to what was applied, and never back") func advance() {
        var clock = Self.clock(1, 5)
        clock.advance(to: Self.clock(1, 4, 9))
        #expect(clock == Self.clock(1, 5))
        clock.advance(to: Self.clock(2, 0))
        #expect(clock == Self.clock(2, 0))
    }

    @Test("a version is ordered by epoch, time, count and device, in this order") func order() {
        let ascending = [
            Sample.version(9, count: 9, by: 9), Sample.version(1, epoch: 2, by: 1), Sample.version(1, epoch: 2, by: 2),
            Sample.version(1, epoch: 2, count: 1, by: 1), Sample.version(2, epoch: 2, by: 1),
        ]
        #expect(ascending.sorted() == ascending)
    }
}

@Suite struct StateDigestTests {
    @Test("a sum carries, and adding can be taken back in any order") func sum() {
        let terms = [
            StateDigest(.max, .max, .max, .max), StateDigest(1, 0, 0, 0), StateDigest(.max, 0, 7, 0),
            StateDigest(Sample.hash(5)),
        ]
        var sum = StateDigest.zero
        sum += terms[0]
        sum += terms[1]
        #expect(sum == .zero)
        sum += terms[2]
        sum += terms[1]
        #expect(sum == StateDigest(0, 1, 7, 0))
        for term in terms { sum += term }
        for term in terms.reversed() { sum -= term }
        #expect(sum == StateDigest(0, 1, 7, 0))
    }
}
