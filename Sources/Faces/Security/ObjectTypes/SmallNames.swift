public import Dispatch
public import Foundation
import LatchkeySecretMemory

// Names of Apple's other system modules that programs use together with this one and that are missing on Linux.

public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?
public typealias NSInteger = Int
public typealias NSUInteger = UInt
public typealias FourCharCode = UInt32
public typealias OSType = FourCharCode
public typealias dispatch_queue_t = DispatchQueue

// Immutable objects: sharing them is safe.
nonisolated(unsafe) public let kCFBundleIdentifierKey: CFString! = "CFBundleIdentifier"
nonisolated(unsafe) public let kCFBundleNameKey: CFString! = "CFBundleName"
nonisolated(unsafe) public let kCFBundleVersionKey: CFString! = "CFBundleVersion"

/// A truth value of C, one byte.
@frozen
public struct DarwinBoolean: ExpressibleByBooleanLiteral, Hashable, Sendable, CustomStringConvertible {
    private let byte: UInt8

    public init(_ value: Bool) { byte = value ? 1 : 0 }
    public init(booleanLiteral value: Bool) { self.init(value) }

    public var boolValue: Bool { byte != 0 }
    public var description: String { boolValue.description }
}

/// Runs its body; there is no pool of objects to drain on Linux.
public func autoreleasepool<R: ~Copyable, E: Error>(invoking body: () throws(E) -> R) throws(E) -> R {
    try body()
}

/// Compares in a time that depends on the length alone; returns 0 if equal.
@discardableResult
public func timingsafe_bcmp(_ b1: UnsafeRawPointer!, _ b2: UnsafeRawPointer!, _ len: Int) -> Int32 {
    guard len > 0 else { return 0 }
    return unsafe isEqualInConstantTime(b1, b2, byteCount: len) ? 0 : 1
}

/// Sets bytes in a way that is not optimised away; returns 0, or `EINVAL` if more should be set than there are.
@discardableResult
@inline(never)
public func memset_s(_ s: UnsafeMutableRawPointer!, _ smax: Int, _ c: Int32, _ n: Int) -> Int32 {
    guard let s = unsafe s, smax >= 0 else { return EINVAL }
    let count = max(0, min(n, smax))
    // Wiping first: the second call then only sets the visible value.
    unsafe wipe(UnsafeMutableRawBufferPointer(start: s, count: count))
    if c != 0 { unsafe memset(s, c, count) }
    return n > smax || n < 0 ? EINVAL : 0
}
