import LatchkeyEncoding
import Testing

@testable import LatchkeyLocalTransport

@Suite struct MessageRateLimiterTests {
    @Test("a second's worth of messages may come at once, the next one waits")
    func burst() {
        var limiter = MessageRateLimiter(at: 100)
        for _ in 0..<20_000 { #expect(limiter.wait(at: 100) == 0) }
        #expect(limiter.wait(at: 100) > 0)
    }

    @Test("waiting as told brings the rate down to the limit, and idling gives a second's worth at most")
    func steady() {
        var limiter = MessageRateLimiter(at: 0)
        var time: Uptime = 0
        for _ in 0..<60_000 { time = time + limiter.wait(at: time) }
        #expect(abs(time.seconds - 2) < 0.01)
        var served = 0
        while limiter.wait(at: 1_000_000) == 0 { served += 1 }
        #expect(served == 20_000)
    }

    @Test("a clock that stands still or is asked out of order gives nothing away")
    func backwards() {
        var limiter = MessageRateLimiter(at: 50)
        for _ in 0..<20_000 { _ = limiter.wait(at: 50) }
        #expect(limiter.wait(at: 10) > 0)
    }
}
