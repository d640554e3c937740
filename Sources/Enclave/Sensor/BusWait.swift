import Glibc
import LatchkeyThreading

/// The limit of a step on the bus: its own deadline, and the cancellation of its caller.
struct BusWait: Sendable {
    let cancellation: Cancellation?
    private let moment: Double?

    /// - Parameter seconds: the limit of this step; nil if only the cancellation limits it.
    init(_ cancellation: Cancellation?, seconds: Double? = nil) {
        self.cancellation = cancellation
        moment = seconds.map { Self.now + $0 }
    }

    /// The reason why the wait is over; nil if it is not.
    var end: BusFailure? {
        if let cancellation, cancellation.isOver { return .ended }
        if let moment, moment <= Self.now { return .noAnswer }
        return nil
    }

    /// The timeout for `poll`.
    var milliseconds: Int32 {
        let own = moment.map { Int32(min(Double(Int32.max), max(0, ($0 - Self.now) * 1000).rounded(.up))) } ?? -1
        let others = cancellation?.pollMilliseconds ?? -1
        if own < 0 { return others }
        return others < 0 ? own : min(own, others)
    }

    /// Waits until `descriptor` is ready for `events`; without a descriptor it waits only for the time.
    func poll(_ descriptor: Int32, _ events: Int16, atMost limit: Int32? = nil) {
        var entries = [
            pollfd(fd: descriptor, events: events, revents: 0),
            pollfd(fd: cancellation?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let own = milliseconds
        let time = limit.map { own < 0 ? $0 : min(own, $0) } ?? own
        _ = unsafe Glibc.poll(&entries, nfds_t(entries.count), time)
    }

    /// The seconds of a clock that cannot be set.
    static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
