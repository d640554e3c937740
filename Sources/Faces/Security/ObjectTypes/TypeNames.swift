#if LATCHKEY_BUILDS_KIT
// A kit has this module imported into every file of a package. With Foundation it would bring the C library along, and
// files with `@preconcurrency import Glibc` would not compile.
public import Foundation
@_exported public import FoundationEssentials
#else
@_exported public import Foundation
#endif

// Every Core Foundation type is the Foundation class of the same meaning: the compiler then bridges with `as` in both
// directions, exactly as code written for Apple platforms expects.

/// Any object.
public typealias CFTypeRef = AnyObject
public typealias CFString = NSString
public typealias CFMutableString = NSMutableString
public typealias CFData = NSData
public typealias CFMutableData = NSMutableData
public typealias CFDictionary = NSDictionary
public typealias CFMutableDictionary = NSMutableDictionary
public typealias CFArray = NSArray
public typealias CFMutableArray = NSMutableArray
public typealias CFSet = NSSet
public typealias CFMutableSet = NSMutableSet
public typealias CFDate = NSDate
public typealias CFURL = NSURL
public typealias CFNull = NSNull
public typealias CFUUID = NSUUID
public typealias CFNumber = NSNumber
/// The same class as ``CFNumber``; ``CFGetTypeID(_:)`` tells truth values from numbers.
public typealias CFBoolean = NSNumber
public typealias CFError = NSError
public typealias CFErrorDomain = NSString

public typealias CFIndex = Int
public typealias CFTypeID = UInt
public typealias CFOptionFlags = UInt
public typealias CFHashCode = UInt
public typealias CFTimeInterval = Double
public typealias CFAbsoluteTime = Double
public typealias CFStringEncoding = UInt32

/// The result of a call: 0 or one of the `errSec` codes.
public typealias OSStatus = Int32
/// The result of a call that succeeded.
public let noErr: OSStatus = 0

/// An allocator. Callers pass it by habit, and it is ignored. Sendable because it has no state.
public final class CFAllocator: NSObject, @unchecked Sendable {}

public let kCFAllocatorDefault: CFAllocator! = nil
public let kCFAllocatorSystemDefault: CFAllocator! = CFAllocator()
public let kCFAllocatorMalloc: CFAllocator! = CFAllocator()
/// As a deallocator: the bytes stay the caller's.
public let kCFAllocatorNull: CFAllocator! = CFAllocator()

// Implicitly unwrapped, as code writes them with and without an exclamation mark.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
public let kCFNull: CFNull! = NSNull()
