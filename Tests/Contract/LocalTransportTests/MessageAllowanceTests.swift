import Testing

@testable import LatchkeyLocalTransport

@Suite struct MessageAllowanceTests {
    @Test("a second's worth of messages may come at once, the next one waits")
    func burst() {
        var allowance = MessageAllowance(at: 100)
        for _ in 0..<20_000 { #expect(allowance.wait(at: 100) == 0) }
        #expect(allowance.wait(at: 100) > 0)
    }

    @Test("waiting as told brings the rate down to the limit, and idling gives a second's worth at most")
    func steady() {
        var allowance = MessageAllowance(at: 0)
        var time = 0.0
        for _ in 0..<60_000 { time += allowance.wait(at: time) }
        #expect(abs(time - 2) < 0.01)
        var served = 0
        while allowance.wait(at: 1_000_000) == 0 { served += 1 }
        #expect(served == 20_000)
    }

    @Test("a clock that stands still or is asked out of order gives nothing away")
    func backwards() {
        var allowance = MessageAllowance(at: 50)
        for _ in 0..<20_000 { _ = allowance.wait(at: 50) }
        #expect(allowance.wait(at: 10) > 0)
    }
}
