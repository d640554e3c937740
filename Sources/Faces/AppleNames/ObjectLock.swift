import LatchkeyThreading

/// The result of locking or unlocking an object.
@_disfavoredOverload public var OBJC_SYNC_SUCCESS: Int { 0 }
/// The result of unlocking an object that this thread has not locked.
@_disfavoredOverload public var OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int { -1 }

/// Locks an object for this thread, which may do so several times: what `@synchronized` is made of.
///
/// A class can be locked as well. A value locks nothing, because each call would have another object of it.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
    guard let subject = subject(obj) else { return Int32(OBJC_SYNC_SUCCESS) }
    ObjectLocks.shared.lock(subject)
    return Int32(OBJC_SYNC_SUCCESS)
}

/// Unlocks an object once. ``OBJC_SYNC_NOT_OWNING_THREAD_ERROR`` says that this thread has not locked it.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 {
    guard let subject = subject(obj) else { return Int32(OBJC_SYNC_SUCCESS) }
    return Int32(ObjectLocks.shared.unlock(subject) ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
}

private func subject(_ value: Any) -> ObjectLocks.Subject? {
    if let type = value as? AnyClass { return ObjectLocks.Subject(type) }
    return type(of: value) is AnyClass ? ObjectLocks.Subject(value as AnyObject) : nil
}
