// As in CoreFoundation.swift: the functions of `Security`, in front of those of the C module.
public import Foundation

@_disfavoredOverload @discardableResult
public func CFErrorCreate(
    _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
    Security.CFErrorCreate(allocator, domain, code, userInfo)
}

@_disfavoredOverload @discardableResult
public func CFErrorGetCode(_ err: CFError!) -> CFIndex {
    Security.CFErrorGetCode(err)
}

@_disfavoredOverload @discardableResult
public func CFErrorGetDomain(_ err: CFError!) -> CFErrorDomain! {
    Security.CFErrorGetDomain(err)
}

@_disfavoredOverload @discardableResult
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! {
    Security.CFErrorCopyDescription(err)
}

@_disfavoredOverload @discardableResult
public func CFErrorCopyFailureReason(_ err: CFError!) -> CFString! {
    Security.CFErrorCopyFailureReason(err)
}

@_disfavoredOverload @discardableResult
public func CFErrorCopyRecoverySuggestion(_ err: CFError!) -> CFString! {
    Security.CFErrorCopyRecoverySuggestion(err)
}

@_disfavoredOverload @discardableResult
public func CFErrorCopyUserInfo(_ err: CFError!) -> CFDictionary! {
    Security.CFErrorCopyUserInfo(err)
}

@_disfavoredOverload @discardableResult
public func CFEqual(_ cf1: CFTypeRef!, _ cf2: CFTypeRef!) -> Bool {
    Security.CFEqual(cf1, cf2)
}

@_disfavoredOverload @discardableResult
public func CFHash(_ cf: CFTypeRef!) -> CFHashCode {
    Security.CFHash(cf)
}

@_disfavoredOverload @discardableResult
public func CFDataCreate(_ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex) -> CFData! {
    unsafe Security.CFDataCreate(allocator, bytes, length)
}

@_disfavoredOverload @discardableResult
public func CFDataCreateWithBytesNoCopy(
    _ allocator: CFAllocator!, _ bytes: UnsafePointer<UInt8>!, _ length: CFIndex, _ bytesDeallocator: CFAllocator!
) -> CFData! {
    unsafe Security.CFDataCreateWithBytesNoCopy(allocator, bytes, length, bytesDeallocator)
}

@_disfavoredOverload @discardableResult
public func CFDataGetLength(_ theData: CFData!) -> CFIndex {
    Security.CFDataGetLength(theData)
}

@_disfavoredOverload @discardableResult
public func CFDataGetBytePtr(_ theData: CFData!) -> UnsafePointer<UInt8>! {
    unsafe Security.CFDataGetBytePtr(theData)
}

@_disfavoredOverload @discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool {
    Security.CFBooleanGetValue(boolean)
}

@_disfavoredOverload @discardableResult
public func CFAbsoluteTimeGetCurrent() -> CFAbsoluteTime {
    Security.CFAbsoluteTimeGetCurrent()
}

@_disfavoredOverload @discardableResult
public func CFGetTypeID(_ cf: CFTypeRef!) -> CFTypeID {
    Security.CFGetTypeID(cf)
}

@_disfavoredOverload @discardableResult
public func CFStringGetTypeID() -> CFTypeID {
    Security.CFStringGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFDataGetTypeID() -> CFTypeID {
    Security.CFDataGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFNumberGetTypeID() -> CFTypeID {
    Security.CFNumberGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFBooleanGetTypeID() -> CFTypeID {
    Security.CFBooleanGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFDateGetTypeID() -> CFTypeID {
    Security.CFDateGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFArrayGetTypeID() -> CFTypeID {
    Security.CFArrayGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFDictionaryGetTypeID() -> CFTypeID {
    Security.CFDictionaryGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFSetGetTypeID() -> CFTypeID {
    Security.CFSetGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFURLGetTypeID() -> CFTypeID {
    Security.CFURLGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFUUIDGetTypeID() -> CFTypeID {
    Security.CFUUIDGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFNullGetTypeID() -> CFTypeID {
    Security.CFNullGetTypeID()
}

@_disfavoredOverload @discardableResult
public func CFErrorGetTypeID() -> CFTypeID {
    Security.CFErrorGetTypeID()
}
