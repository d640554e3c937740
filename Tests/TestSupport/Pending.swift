import LatchkeyThreading

/// An answer that comes from a thread of its own: what a test waits for must not wait for the test runner's threads.
package final class Pending<Value: Sendable>: @unchecked Sendable {
    // Sendable because the value is only touched inside of the condition's lock.
    private let condition = WaitCondition()
    private var found: Value?

    package init(_ body: @escaping @Sendable () -> Value) {
        let isStarted = DetachedThread.start { [self] in
            let value = body()
            condition.withLock {
                found = value
                condition.wakeAll()
            }
        }
        precondition(isStarted, "a test needs its thread")
    }

    package var isThere: Bool { condition.withLock { found != nil } }

    /// Blocks until it is there.
    package var value: Value {
        condition.withLock {
            while true {
                if let found { return found }
                condition.wait()
            }
        }
    }

    /// Blocks until it is there, and no longer than the seconds: nil if it hangs.
    package func value(within seconds: Int) -> Value? {
        let deadline = WaitCondition.Deadline(afterNanoseconds: seconds * 1_000_000_000)
        return condition.withLock {
            while found == nil, condition.wait(until: deadline) {}
            return found
        }
    }
}
