public import Foundation

/// Returns true if two objects have the same content.
@discardableResult
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
    guard let one = cf1 as? NSObject else { return cf1 === cf2 }
    return one.isEqual(cf2)
}

/// Returns a hash; equal objects have equal hashes.
@discardableResult
public func CFHash(_ cf: CFTypeRef!) -> CFHashCode {
    guard let object = cf as? NSObject else { return CFHashCode(bitPattern: ObjectIdentifier(cf).hashValue) }
    return CFHashCode(bitPattern: object.hash)
}

/// Copies `length` bytes; returns nil for a negative length.
@discardableResult
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    guard length >= 0 else { return nil }
    guard length > 0 else { return NSData() }
    return unsafe NSData(bytes: bytes, length: length)
}

/// The same for bytes that are there. In files that import CoreFoundation as well it fits calls without an allocator
/// better than the function of the C module, which takes a pointer that may be nil: with that one alone they would be
/// ambiguous.
@discardableResult
public func CFDataCreate(_ allocator: CFAllocator?, _ bytes: UnsafePointer<UInt8>, _ length: CFIndex) -> CFData! {
    unsafe CFDataCreate(allocator, Optional(bytes), length)
}

/// Also copies: the caller's bytes may go away at any time. With any deallocator but `kCFAllocatorNull` the bytes,
/// which then must come from `malloc`, are freed at once.
@discardableResult
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex, _ bytesDeallocator: CFAllocator!
) -> CFData! {
    guard let copy = unsafe CFDataCreate(allocator, bytes, length) else { return nil }
    if bytesDeallocator !== kCFAllocatorNull { unsafe free(UnsafeMutableRawPointer(mutating: bytes)) }
    return copy
}

@discardableResult
public func CFDataGetLength(_ theData: CFData!) -> CFIndex { theData.length }

/// Returns a pointer that is valid as long as the data lives and is not changed.
@discardableResult
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    unsafe theData.bytes.assumingMemoryBound(to: UInt8.self)
}

/// Returns the value of a Boolean object.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool { boolean.boolValue }

/// Returns the seconds since 2001-01-01 00:00:00 UTC.
@discardableResult
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime { Date().timeIntervalSinceReferenceDate }
