import Foundation
import Security

@_implementationOnly import CLatchkeySecurityBorder

/// Returns an object for C, which the caller releases.
///
/// Most objects pass as they are. Collections, errors and null are classes of Foundation that Core Foundation cannot
/// read: they are made anew, with everything inside.
package func outgoing(_ object: AnyObject) -> UnsafeRawPointer {
    switch object {
    case let dictionary as NSDictionary: unsafe outgoing(dictionary)
    case let array as NSArray: unsafe outgoing(array)
    case let error as NSError: unsafe outgoing(error)
    case is NSNull: unsafe lk_null()
    default: unsafe UnsafeRawPointer(Unmanaged.passRetained(object).toOpaque())
    }
}

private func outgoing(_ dictionary: NSDictionary) -> UnsafeRawPointer {
    var entries = unsafe [(key: UnsafeRawPointer, value: UnsafeRawPointer)]()
    ObjectRuntime.forEach(in: dictionary) { key, value in
        unsafe entries.append((outgoing(key), outgoing(value)))
    }
    var keys = unsafe entries.map { unsafe $0.key }
    var values = unsafe entries.map { unsafe $0.value }
    defer {
        for index in unsafe keys.indices {
            unsafe lk_release(keys[index])
            unsafe lk_release(values[index])
        }
    }
    return unsafe lk_dictionary(&keys, &values, keys.count)
}

private func outgoing(_ array: NSArray) -> UnsafeRawPointer {
    var values = unsafe [UnsafeRawPointer]()
    ObjectRuntime.forEach(in: array) { unsafe values.append(outgoing($0)) }
    defer {
        for index in unsafe values.indices { unsafe lk_release(values[index]) }
    }
    return unsafe lk_array(&values, values.count)
}

private func outgoing(_ error: NSError) -> UnsafeRawPointer {
    let domain = unsafe outgoing(NSString(string: error.domain))
    let information = unsafe outgoing(error.userInfo as NSDictionary)
    defer {
        unsafe lk_release(domain)
        unsafe lk_release(information)
    }
    return unsafe lk_error(domain, error.code, information)
}
