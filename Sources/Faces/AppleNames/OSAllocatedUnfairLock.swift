/// A state behind an ``os_unfair_lock_s`` in memory of its own. Copies share both.
public struct OSAllocatedUnfairLock<State>: @unchecked Sendable {
    // Sendable because the state is reached under the lock alone, and leaves it only where the caller says so.
    private let storage: ManagedBuffer<State, os_unfair_lock_s>

    /// A lock around a state that is not `Sendable`: the caller sees to it that nothing else uses the state.
    public init(uncheckedState initialState: State) {
        storage = ManagedBuffer<State, os_unfair_lock_s>.create(minimumCapacity: 1) { buffer in
            unsafe buffer.withUnsafeMutablePointerToElements { unsafe $0.initialize(to: os_unfair_lock_s()) }
            return initialState
        }
    }

    /// Runs the body with the state, under the lock.
    public func withLock<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs the body with the state, under the lock. Body and result need not be `Sendable`.
    public func withLockUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R {
        try unsafe storage.withUnsafeMutablePointers { state, lock in
            unsafe os_unfair_lock_lock(lock)
            defer { unsafe os_unfair_lock_unlock(lock) }
            return try unsafe body(&state.pointee)
        }
    }

    /// Runs the body with the state, unless the lock has an owner: then the result is nil.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable (inout State) throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Runs the body with the state, unless the lock has an owner. Body and result need not be `Sendable`.
    public func withLockIfAvailableUnchecked<R>(_ body: (inout State) throws -> R) rethrows -> R? {
        try unsafe storage.withUnsafeMutablePointers { state, lock in
            guard unsafe os_unfair_lock_trylock(lock) else { return nil }
            defer { unsafe os_unfair_lock_unlock(lock) }
            return try unsafe body(&state.pointee)
        }
    }

    /// A claim about who has the lock.
    @frozen
    public enum Ownership: Hashable, Sendable {
        case owner
        case notOwner
    }

    /// Ends the process unless the claim holds for this thread.
    public func precondition(_ condition: Ownership) {
        unsafe storage.withUnsafeMutablePointerToElements { lock in
            switch condition {
            case .owner: unsafe os_unfair_lock_assert_owner(lock)
            case .notOwner: unsafe os_unfair_lock_assert_not_owner(lock)
            }
        }
    }
}

extension OSAllocatedUnfairLock where State: Sendable {
    /// A lock around a state.
    public init(initialState: State) {
        self.init(uncheckedState: initialState)
    }
}

extension OSAllocatedUnfairLock where State == Void {
    /// A lock without a state.
    public init() {
        self.init(uncheckedState: ())
    }

    /// Locks it. The same thread unlocks it.
    @available(*, noasync, message: "Use withLock.")
    public func lock() {
        unsafe storage.withUnsafeMutablePointerToElements { unsafe os_unfair_lock_lock($0) }
    }

    /// Unlocks it.
    @available(*, noasync, message: "Use withLock.")
    public func unlock() {
        unsafe storage.withUnsafeMutablePointerToElements { unsafe os_unfair_lock_unlock($0) }
    }

    /// Locks it unless it has an owner; false says that it has one.
    @available(*, noasync, message: "Use withLockIfAvailable.")
    public func lockIfAvailable() -> Bool {
        unsafe storage.withUnsafeMutablePointerToElements { unsafe os_unfair_lock_trylock($0) }
    }

    /// Runs the body under the lock.
    public func withLock<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R {
        try withLockUnchecked(body)
    }

    /// Runs the body under the lock. Body and result need not be `Sendable`.
    public func withLockUnchecked<R>(_ body: () throws -> R) rethrows -> R {
        try withLockUnchecked { _ in try body() }
    }

    /// Runs the body, unless the lock has an owner: then the result is nil.
    public func withLockIfAvailable<R: Sendable>(_ body: @Sendable () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked(body)
    }

    /// Runs the body, unless the lock has an owner. Body and result need not be `Sendable`.
    public func withLockIfAvailableUnchecked<R>(_ body: () throws -> R) rethrows -> R? {
        try withLockIfAvailableUnchecked { _ in try body() }
    }
}
