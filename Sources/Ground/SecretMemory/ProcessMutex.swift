import LatchkeyThreading

/// A value behind a lock, of which each process has its own: in a child of `fork` the value is a new one, and the lock is free.
///
/// For what a library keeps for its process. The parent's value is not released in the child (``ProcessOwned``).
package final class ProcessMutex<Value: Sendable>: Sendable {
    private final class Cell: Sendable {
        let value: ForkMutex<Value>

        init(_ value: Value) {
            self.value = ForkMutex(value)
        }
    }

    private let cells: ProcessOwned<Cell>

    /// - Parameter value: computed once in each process.
    package init(_ value: @autoclosure @escaping @Sendable () -> Value) {
        cells = ProcessOwned { Cell(value()) }
    }

    package func withLock<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try cells.object.value.withLock { value throws(Failure) in try body(&value) }
    }

    /// Returns nil, without calling `body`, while another thread has the lock.
    package func withLockIfAvailable<Result: Sendable, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        try cells.object.value.withLockIfAvailable { value throws(Failure) in try body(&value) }
    }
}
