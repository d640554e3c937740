import LatchkeyThreading

/// The result of locking or unlocking an object.
@_disfavoredOverload public var OBJC_SYNC_SUCCESS: Int { 0 }
/// The result of unlocking an object that this thread has not locked.
@_disfavoredOverload public var OBJC_SYNC_NOT_OWNING_THREAD_ERROR: Int { -1 }

/// Locks an object for this thread, which may do so several times: what `@synchronized` is made of.
///
/// A value that is not an object locks nothing, because each call would have another object of it.
@discardableResult
public func objc_sync_enter(_ obj: Any) -> Int32 {
    guard let object = object(obj) else { return Int32(OBJC_SYNC_SUCCESS) }
    ObjectLocks.shared.lock(object)
    return Int32(OBJC_SYNC_SUCCESS)
}

/// Unlocks an object once. ``OBJC_SYNC_NOT_OWNING_THREAD_ERROR`` says that this thread has not locked it.
@discardableResult
public func objc_sync_exit(_ obj: Any) -> Int32 {
    guard let object = object(obj) else { return Int32(OBJC_SYNC_SUCCESS) }
    return Int32(ObjectLocks.shared.unlock(object) ? OBJC_SYNC_SUCCESS : OBJC_SYNC_NOT_OWNING_THREAD_ERROR)
}

private func object(_ value: Any) -> AnyObject? {
    type(of: value) is AnyClass ? value as AnyObject : nil
}
