import Testing

@testable import LatchkeySyncService

/// The times at which the worker of a circle pauses. In microseconds.
@Suite struct CirclePaceTests {
    @Test("single changes are worked on at once") func single() {
        var pace = CirclePace()
        for start in stride(from: 0 as UInt64, to: 10_000_000, by: 250_000) {
            #expect(pace.pause(at: start) == 0)
            pace.note(workFrom: start, to: start + 10_000)
        }
    }

    @Test("work without end takes a tenth of the time") func endless() {
        var pace = CirclePace()
        var (now, worked): (UInt64, UInt64) = (0, 0)
        while now < 60_000_000 {
            now += pace.pause(at: now)
            pace.note(workFrom: now, to: now + 5_000)
            now += 5_000
            worked += 5_000
        }
        #expect((5_400_000...7_000_000).contains(worked), "\(worked)")
    }

    @Test("after a long exchange the next one waits a second at most") func long() {
        var pace = CirclePace()
        pace.note(workFrom: 0, to: 600_000_000)
        #expect(pace.pause(at: 600_000_000) == 1_000_000)
        #expect(pace.pause(at: 601_000_000) == 0)
    }

    @Test("a clock that goes back earns nothing and owes nothing") func back() {
        var pace = CirclePace()
        pace.note(workFrom: 5_000_000, to: 4_000_000)
        #expect(pace.pause(at: 0) == 0)
    }
}
