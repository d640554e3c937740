import LatchkeyThreading

/// A lock of four bytes that its owner alone may unlock. Like Apple's it must not move while it is used: put it behind
/// a pointer, or use ``OSAllocatedUnfairLock``.
///
/// A waiting thread gives its priority to the owner. A thread that locks it twice, or unlocks what it has not locked,
/// ends the process.
@frozen
public struct os_unfair_lock_s {
    public var _os_unfair_lock_opaque: UInt32

    public init() { _os_unfair_lock_opaque = 0 }

    public init(_os_unfair_lock_opaque: UInt32) { self._os_unfair_lock_opaque = _os_unfair_lock_opaque }
}

public typealias os_unfair_lock = os_unfair_lock_s
public typealias os_unfair_lock_t = UnsafeMutablePointer<os_unfair_lock_s>

/// Locks it, after its owner if there is one.
public func os_unfair_lock_lock(_ lock: os_unfair_lock_t) {
    unsafe word(lock).lock()
}

/// Locks it unless it has an owner; false says that it has one.
public func os_unfair_lock_trylock(_ lock: os_unfair_lock_t) -> Bool {
    unsafe word(lock).tryLock()
}

/// Unlocks it.
public func os_unfair_lock_unlock(_ lock: os_unfair_lock_t) {
    unsafe word(lock).unlock()
}

/// Ends the process unless this thread is the owner.
public func os_unfair_lock_assert_owner(_ lock: os_unfair_lock_t) {
    unsafe precondition(word(lock).isOwned, "os_unfair_lock: this thread is not the owner")
}

/// Ends the process if this thread is the owner.
public func os_unfair_lock_assert_not_owner(_ lock: os_unfair_lock_t) {
    unsafe precondition(!word(lock).isOwned, "os_unfair_lock: this thread is the owner")
}

private func word(_ lock: os_unfair_lock_t) -> OwnedLock {
    unsafe OwnedLock(UnsafeMutableRawPointer(lock))
}
