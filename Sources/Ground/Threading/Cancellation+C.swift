import Glibc

@_implementationOnly import CLatchkeyShims

/// A wait that another thread may end, and that ends by itself at its deadline.
///
/// Waits on descriptors add ``descriptor`` to their poll; others register an action with ``whenCancelled(_:)``.
@safe package final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var actions: [@Sendable () -> Void] = []
    }

    /// Readable from ``cancel()`` on. Negative if the system had no descriptor left; waits then check every half
    /// second.
    package let descriptor: Int32
    private let deadline: Double?
    /// The mark of the process that made it.
    private let process = lk_process_mark()
    private let state = ForkMutex(State())

    /// - Parameter seconds: until the deadline, by the clock that cannot be set; nil means no deadline.
    package init(seconds: Double? = nil) {
        descriptor = lk_event_make()
        deadline = seconds.map { Self.now + max(0, $0) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Ends the wait. May be called by any thread, any number of times.
    package func cancel() {
        let actions = state.withLock { state in
            guard !state.isCancelled else { return [@Sendable () -> Void]() }
            state.isCancelled = true
            defer { state.actions = [] }
            return state.actions
        }
        // A child of `fork` has the same event as its parent, whose waits go on.
        if descriptor >= 0, process == lk_process_mark() { lk_event_set(descriptor) }
        for action in actions { action() }
    }

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs `action` once when it is cancelled, at once if it already is. Not at the deadline.
    package func whenCancelled(_ action: @escaping @Sendable () -> Void) {
        let runsNow = state.withLock { state in
            if !state.isCancelled { state.actions.append(action) }
            return state.isCancelled
        }
        if runsNow { action() }
    }

    package var secondsLeft: Double? { deadline.map { max(0, $0 - Self.now) } }

    package var isTimedOut: Bool { secondsLeft == 0 }

    /// Cancelled, or past its deadline.
    package var isOver: Bool { isCancelled || isTimedOut }

    /// The timeout for `poll`: at most half a second if there is no descriptor to wake it.
    package var pollMilliseconds: Int32 {
        let limit: Double = descriptor >= 0 ? Double(Int32.max) : 500
        guard let secondsLeft else { return descriptor >= 0 ? -1 : 500 }
        return Int32(min(limit, (secondsLeft * 1000).rounded(.up)))
    }

    /// Waits until it is over, or for at most so many seconds. Blocks.
    package func wait(atMost seconds: Double = .infinity) {
        let end = Self.now + seconds
        while !isOver {
            let left = end - Self.now
            guard left > 0 else { return }
            let milliseconds = Int32(min(Double(Int32.max), (left * 1000).rounded(.up)))
            let limit = pollMilliseconds
            var waited = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = unsafe poll(&waited, 1, limit < 0 ? milliseconds : min(limit, milliseconds))
        }
    }

    private static var now: Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1_000_000_000
    }
}
