@_implementationOnly import CLatchkeySecurityBorder

/// A block of C, retained until the last reference to this is gone. Sendable because a program that passes a block for a
/// queue expects it to be called there.
@safe final class Block: @unchecked Sendable {
    let address: UnsafeRawPointer

    /// Nil for a null pointer.
    init?(_ block: UnsafeRawPointer?) {
        guard let block = unsafe block else { return nil }
        unsafe address = lk_block_copy(block)
    }

    deinit { unsafe lk_block_release(address) }
}

/// Lends an object to C for the time of a call.
func withOutgoing(_ object: AnyObject?, _ body: (UnsafeRawPointer?) -> Void) {
    let address = unsafe object.map { unsafe outgoing($0) }
    unsafe body(address)
    if let address = unsafe address { unsafe lk_release(address) }
}

/// Calls a function on a queue of libdispatch; null is one of the system's.
func dispatch(on queue: UnsafeRawPointer?, _ work: @escaping () -> Void) {
    let context = unsafe Unmanaged.passRetained(Work(work)).toOpaque()
    unsafe lk_dispatch(queue, context) { context in
        guard let context = unsafe context else { return }
        unsafe Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body()
    }
}

private final class Work {
    let body: () -> Void

    init(_ body: @escaping () -> Void) { self.body = body }
}
