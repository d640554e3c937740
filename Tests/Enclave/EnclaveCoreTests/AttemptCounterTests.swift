import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeySecretMemory
import Testing

@Suite struct AttemptCounterTests {
    private static let boot = [UInt8](repeating: 1, count: 16)
    private static let otherBoot = [UInt8](repeating: 2, count: 16)

    private static func tag(_ number: Int) -> SecretBox {
        SecretBox(copying: [UInt8(truncatingIfNeeded: number), 1, 2, 3])
    }

    private static func counter(failures: Int, delayStart: Uptime = 100, uptime: Uptime = 100) -> AttemptCounter {
        let record = AttemptRecord(failures: failures, delayStart: delayStart, boot: boot)
        return AttemptCounter(record: record, boot: boot, uptime: uptime)
    }

    /// One wrong try; false if it was not let through.
    private static func fail(_ counter: inout AttemptCounter, _ number: Int, uptime: Uptime) -> Bool {
        guard case .check(let record) = counter.start(tag: tag(number), uptime: uptime) else { return false }
        counter.recorded(record)
        counter.failed(tag: tag(number))
        return true
    }

    @Test("ten different wrong passcodes exhaust the counter, after the delays of the table") func tenFailures() {
        var counter = Self.counter(failures: 0)
        var uptime: Uptime = 100
        var waited: [Double] = []
        for number in 0..<10 {
            let left = counter.secondsLeft(uptime: uptime)
            if left > 0 {
                #expect(counter.start(tag: Self.tag(number), uptime: uptime) == .delayed(seconds: left))
                #expect(counter.start(tag: Self.tag(number), uptime: uptime + (left - 0.5)) == .delayed(seconds: 0.5))
            }
            waited.append(left)
            uptime = uptime + left
            #expect(counter.attemptsLeft == 10 - number)
            #expect(Self.fail(&counter, number, uptime: uptime))
        }
        #expect(waited == [0, 0, 0, 0, 0, 60, 300, 900, 900, 3600])
        #expect(counter.isExhausted && counter.attemptsLeft == 0)
        #expect(counter.start(tag: Self.tag(99), uptime: uptime + 1_000_000) == .exhausted)
    }

    @Test("a try is on the record before its outcome is known") func countedFirst() {
        var counter = Self.counter(failures: 2)
        let record = AttemptRecord(failures: 3, delayStart: 150, boot: Self.boot)
        #expect(counter.start(tag: Self.tag(1), uptime: 150) == .check(record))
        #expect(counter.record.failures == 2, "nothing counts before it is durable")
        counter.recorded(record)
        let reset = counter.succeeded()
        #expect(reset.failures == 0)
    }

    @Test("only the passcode that failed last is known again") func repeated() {
        var counter = Self.counter(failures: 0)
        #expect(Self.fail(&counter, 1, uptime: 100))
        #expect(counter.start(tag: Self.tag(1), uptime: 100) == .repeated)
        #expect(Self.fail(&counter, 2, uptime: 100))
        #expect(Self.fail(&counter, 1, uptime: 100))
        #expect(counter.record.failures == 3)
        counter.restarted(boot: Self.boot, uptime: 100)
        #expect(Self.fail(&counter, 1, uptime: 100), "a restart forgets it")
    }

    @Test("a success forgets the last wrong passcode") func successForgets() {
        var counter = Self.counter(failures: 0)
        #expect(Self.fail(&counter, 1, uptime: 100))
        counter.recorded(counter.succeeded())
        #expect(Self.fail(&counter, 1, uptime: 100))
    }

    struct Opening: Sendable {
        let boot: [UInt8]
        let uptime: Uptime
        let left: Double
    }

    @Test(
        "opened again, the delay runs on in the same boot and begins anew in another",
        arguments: [
            Opening(boot: boot, uptime: 100, left: 60), Opening(boot: boot, uptime: 130, left: 30),
            Opening(boot: boot, uptime: 160, left: 0), Opening(boot: boot, uptime: 99, left: 60),
            Opening(boot: otherBoot, uptime: 100, left: 60), Opening(boot: otherBoot, uptime: 5000, left: 60),
            Opening(boot: otherBoot, uptime: 3, left: 60),
        ])
    func opened(_ opening: Opening) {
        let record = AttemptRecord(failures: 5, delayStart: 100, boot: Self.boot)
        let counter = AttemptCounter(record: record, boot: opening.boot, uptime: opening.uptime)
        #expect(counter.secondsLeft(uptime: opening.uptime) == opening.left)
        #expect(counter.needsWriting == (opening.boot != Self.boot || opening.uptime < 100))
    }

    @Test("a restart begins the delay anew, and another does too") func restarted() {
        var counter = Self.counter(failures: 6)
        counter.restarted(boot: Self.boot, uptime: 350)
        #expect(counter.secondsLeft(uptime: 350) == 300)
        counter.restarted(boot: Self.boot, uptime: 600)
        #expect(counter.secondsLeft(uptime: 600) == 300)
        #expect(counter.secondsLeft(uptime: 900) == 0)
    }

    @Test("what another process counted is taken over") func follow() {
        var counter = Self.counter(failures: 1)
        counter.follow(
            AttemptRecord(failures: 5, delayStart: 120, boot: Self.boot), boot: Self.boot, uptime: 130)
        #expect(counter.secondsLeft(uptime: 130) == 50)
    }

    @Test("following an unchanged record neither restarts a delay nor forgets the last wrong passcode") func unchanged()
    {
        let written = AttemptRecord(failures: 5, delayStart: 100, boot: Self.boot)
        var counter = AttemptCounter(record: written, boot: Self.otherBoot, uptime: 10)
        counter.follow(written, boot: Self.otherBoot, uptime: 40)
        #expect(counter.secondsLeft(uptime: 40) == 30)

        var failed = Self.counter(failures: 0)
        #expect(Self.fail(&failed, 1, uptime: 100))
        failed.follow(failed.record, boot: Self.boot, uptime: 100)
        #expect(failed.start(tag: Self.tag(1), uptime: 100) == .repeated)
    }

    @Test("numbers of failures beyond the limit are exhaustion, not a crash", arguments: [10, 11, 255])
    func beyond(failures: Int) {
        var counter = Self.counter(failures: failures)
        #expect(counter.isExhausted && counter.attemptsLeft == 0 && counter.secondsLeft(uptime: 0) == 0)
        #expect(counter.start(tag: Self.tag(1), uptime: 1_000_000) == .exhausted)
    }
}
