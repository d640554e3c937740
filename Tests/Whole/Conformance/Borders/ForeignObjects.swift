import Foundation
import LatchkeySecurityForC
import Security

// The border for rows that are written for Swift: like a program of C, it makes objects of Core Foundation and releases
// those that it gets.

@_silgen_name("CFRelease") private func release(_ object: UnsafeRawPointer)
@_silgen_name("CFErrorGetCode") private func code(_ error: UnsafeRawPointer) -> Int
@_silgen_name("CFErrorGetDomain") private func domain(_ error: UnsafeRawPointer) -> UnsafeRawPointer
@_silgen_name("CFErrorCopyUserInfo") private func information(_ error: UnsafeRawPointer) -> UnsafeRawPointer

/// Runs a call of C with objects of Core Foundation in place of Foundation's.
func foreign<R>(_ objects: AnyObject?..., call: ([UnsafeRawPointer?]) -> R) -> R {
    let addresses = objects.map { $0.map { outgoing($0) } }
    defer { for case let address? in addresses { release(address) } }
    return call(addresses)
}

/// Takes an object over that a call of C returned.
func taken<Object: AnyObject>(_ address: UnsafeRawPointer?, as type: Object.Type = Object.self) -> Object? {
    guard let address else { return nil }
    return Unmanaged<AnyObject>.fromOpaque(address).takeRetainedValue() as? Object
}

/// Runs a call of C that fills a slot on success.
func filling<Object: AnyObject>(
    _ result: UnsafeMutablePointer<Object?>?, _ call: (UnsafeMutablePointer<UnsafeRawPointer?>?) -> OSStatus
) -> OSStatus {
    guard let result else { return call(nil) }
    // A call that writes nothing leaves the result as it was.
    let untouched = UnsafeRawPointer(Unmanaged.passUnretained(NSNull()).toOpaque())
    var slot: UnsafeRawPointer? = untouched
    let status = call(&slot)
    if slot != untouched { result.pointee = taken(slot) }
    return status
}

/// Runs a call of C that leaves an error.
func failing<R>(
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ call: (UnsafeMutablePointer<UnsafeRawPointer?>?) -> R
) -> R {
    guard let error else { return call(nil) }
    var slot: UnsafeRawPointer?
    let result = call(&slot)
    guard let slot else { return result }
    let text = Unmanaged<AnyObject>.fromOpaque(domain(slot)).takeUnretainedValue() as? NSString
    let entries = taken(information(slot), as: NSDictionary.self) as? [String: Any]
    let made = NSError(domain: String(describing: text ?? ""), code: code(slot), userInfo: entries)
    release(slot)
    error.pointee = Unmanaged.passRetained(made)
    return result
}
