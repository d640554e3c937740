import Foundation

@_implementationOnly import CLatchkeySecurityBorder

/// An argument that is not what the function takes: a null pointer, an object of another type, or a collection that
/// holds a null pointer.
struct WrongObject: Error {}

/// Borrows an argument of C.
///
/// Objects of Core Foundation are objects of Foundation's classes, so nothing is copied. The caller keeps its own
/// reference until the call returns; whatever outlives the call is retained by Swift.
func required<Object: AnyObject>(
    _ address: UnsafeRawPointer?, as type: Object.Type = Object.self
) throws(WrongObject) -> Object {
    guard let address = unsafe address else { throw WrongObject() }
    let any = unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    guard let object = any as? Object else { throw WrongObject() }
    if object is NSDictionary || object is NSArray {
        guard unsafe !lk_holds_null(address) else { throw WrongObject() }
    }
    return object
}

/// Borrows an argument that may be a null pointer.
func optional<Object: AnyObject>(
    _ address: UnsafeRawPointer?, as type: Object.Type = Object.self
) throws(WrongObject) -> Object? {
    guard let address = unsafe address else { return nil }
    return unsafe try required(address)
}

/// Returns a pointer that must not be null.
func present<Pointee>(_ pointer: UnsafeMutablePointer<Pointee>?) throws(WrongObject) -> UnsafeMutablePointer<Pointee> {
    guard let pointer = unsafe pointer else { throw WrongObject() }
    return unsafe pointer
}

/// Returns a pointer that must not be null.
func present<Pointee>(_ pointer: UnsafePointer<Pointee>?) throws(WrongObject) -> UnsafePointer<Pointee> {
    guard let pointer = unsafe pointer else { throw WrongObject() }
    return unsafe pointer
}
