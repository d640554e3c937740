import Glibc
import LatchkeyThreading

/// Standard error, for whole messages: one at a time, and none that ends the program.
enum StandardError {
    /// The longest wait for a reader, where standard error does not wait itself (`O_NONBLOCK`).
    private static let patience: Duration = .milliseconds(500)

    /// True if the last message was cut. The next one begins on a line of its own.
    private static let isCut = ForkMutex(false)

    static func write(_ message: String) {
        isCut.withLock { isCut in
            let bytes = Array((isCut ? "\n" + message : message).utf8)
            let count = withoutPipeSignal { written(bytes) }
            if count > 0 { isCut = bytes[count - 1] != UInt8(ascii: "\n") }
        }
    }

    /// Writes as much as possible, and returns the count.
    private static func written(_ bytes: [UInt8]) -> Int {
        var (rest, deadline) = (bytes[...], ContinuousClock.now + patience)
        while !rest.isEmpty {
            let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
                deadline = .now + patience
            } else if count == 0 || errno != EINTR && !(errno == EAGAIN && waits(until: deadline)) {
                break
            }
        }
        return bytes.count - rest.count
    }

    /// Waits for room, and returns false after the deadline.
    private static func waits(until deadline: ContinuousClock.Instant) -> Bool {
        let left = (deadline - .now) / .milliseconds(1)
        guard left > 0 else { return false }
        var event = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        return unsafe poll(&event, 1, Int32(left.rounded(.up))) != 0
    }

    /// Runs some code whose writes to a pipe without a reader only fail: by default SIGPIPE ends the program.
    private static func withoutPipeSignal<T>(_ body: () -> T) -> T {
        var (pipe, pending, before) = (sigset_t(), sigset_t(), sigset_t())
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        unsafe sigpending(&pending)
        unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        let result = body()
        // One that was there before is the caller's.
        if unsafe sigismember(&pending, SIGPIPE) == 0 {
            var now = timespec()
            while unsafe sigtimedwait(&pipe, nil, &now) < 0, errno == EINTR {}
        }
        return result
    }
}
