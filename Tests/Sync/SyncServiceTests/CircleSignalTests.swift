import Testing

@testable import LatchkeySyncService

/// The end of long work, at which memory is given back. Times in microseconds.
@Suite struct CircleSignalTests {
    private let signal = CircleSignal()

    private func endsLongWork(at second: UInt64, lasting time: UInt64, isSettled: Bool) -> Bool {
        var state = CircleState()
        state.isSettled = isSettled
        signal.publish(state)
        return signal.note(workFrom: second * 1_000_000, to: second * 1_000_000 + time)
    }

    @Test("work is long from its beginning to the rest after it, and short work is not added up") func longWork() {
        for second in 1...5 as ClosedRange<UInt64> {
            #expect(!endsLongWork(at: second, lasting: 600_000, isSettled: true))
        }
        #expect(!endsLongWork(at: 6, lasting: 600_000, isSettled: false))
        #expect(endsLongWork(at: 7, lasting: 600_000, isSettled: true))
        #expect(!endsLongWork(at: 8, lasting: 600_000, isSettled: true))
        #expect(endsLongWork(at: 9, lasting: 1_000_000, isSettled: true))
    }

    @Test("a clock that goes back makes no work long") func back() {
        #expect(!signal.note(workFrom: 5_000_000, to: 1))
    }
}
