package import Foundation

// The functions of the object system below Foundation. Foundation exports them; they are declared here by hand because
// the name of the module that declares them is taken by the `CoreFoundation` target of this package. Only integers and
// pointers go in and out, for which the C and the Swift calling convention agree.

@_silgen_name("CFGetTypeID") private func runtimeTypeID(_ object: UnsafeRawPointer) -> UInt
@_silgen_name("CFStringGetTypeID") private func runtimeStringTypeID() -> UInt
@_silgen_name("CFDataGetTypeID") private func runtimeDataTypeID() -> UInt
@_silgen_name("CFNumberGetTypeID") private func runtimeNumberTypeID() -> UInt
@_silgen_name("CFBooleanGetTypeID") private func runtimeBooleanTypeID() -> UInt
@_silgen_name("CFDateGetTypeID") private func runtimeDateTypeID() -> UInt
@_silgen_name("CFArrayGetTypeID") private func runtimeArrayTypeID() -> UInt
@_silgen_name("CFDictionaryGetTypeID") private func runtimeDictionaryTypeID() -> UInt
@_silgen_name("CFSetGetTypeID") private func runtimeSetTypeID() -> UInt
@_silgen_name("CFURLGetTypeID") private func runtimeURLTypeID() -> UInt
@_silgen_name("CFUUIDGetTypeID") private func runtimeUUIDTypeID() -> UInt
@_silgen_name("CFNullGetTypeID") private func runtimeNullTypeID() -> UInt
@_silgen_name("CFErrorGetTypeID") private func runtimeErrorTypeID() -> UInt
@_silgen_name("CFDictionaryGetKeysAndValues")
private func runtimeKeysAndValues(
    _ dictionary: UnsafeRawPointer, _ keys: UnsafeMutablePointer<UnsafeRawPointer?>?,
    _ values: UnsafeMutablePointer<UnsafeRawPointer?>?)
@_silgen_name("CFArrayGetValues")
private func runtimeValues(
    _ array: UnsafeRawPointer, _ start: Int, _ count: Int, _ values: UnsafeMutablePointer<UnsafeRawPointer?>?)
@_silgen_name("CFDictionaryCreate")
private func runtimeDictionary(
    _ allocator: UnsafeRawPointer?, _ keys: UnsafeRawPointer?, _ values: UnsafeRawPointer?, _ count: Int,
    _ keyCallbacks: UnsafeRawPointer?, _ valueCallbacks: UnsafeRawPointer?
) -> UnsafeRawPointer
@_silgen_name("CFArrayCreate")
private func runtimeArray(
    _ allocator: UnsafeRawPointer?, _ values: UnsafeRawPointer?, _ count: Int, _ callbacks: UnsafeRawPointer?
) -> UnsafeRawPointer
@_silgen_name("CFUUIDCreateString")
private func runtimeText(_ allocator: UnsafeRawPointer?, _ identifier: UnsafeRawPointer) -> UnsafeRawPointer

/// The object system below Foundation: type numbers, and the objects that collections really hold.
package enum ObjectRuntime {
    static let string = runtimeStringTypeID()
    static let data = runtimeDataTypeID()
    static let number = runtimeNumberTypeID()
    static let boolean = runtimeBooleanTypeID()
    static let date = runtimeDateTypeID()
    static let array = runtimeArrayTypeID()
    static let dictionary = runtimeDictionaryTypeID()
    static let set = runtimeSetTypeID()
    static let url = runtimeURLTypeID()
    static let uuid = runtimeUUIDTypeID()
    static let null = runtimeNullTypeID()
    static let error = runtimeErrorTypeID()

    // The classes of collections that a program of C made. Foundation does not name them.
    private static let dictionaryOfC: AnyClass = unsafe type(
        of: Unmanaged<AnyObject>.fromOpaque(runtimeDictionary(nil, nil, nil, 0, nil, nil)).takeRetainedValue())
    private static let arrayOfC: AnyClass = unsafe type(
        of: Unmanaged<AnyObject>.fromOpaque(runtimeArray(nil, nil, 0, nil)).takeRetainedValue())

    /// Returns the number of an object's type. Foundation leaves out errors, null and UUIDs.
    static func typeID(of object: AnyObject) -> CFTypeID {
        guard let object = object as? NSObject else { return 0 }
        switch object {
        case is NSError: return error
        case is NSNull: return null
        case is NSUUID: return uuid
        default: return unsafe runtimeTypeID(Unmanaged.passUnretained(object).toOpaque())
        }
    }

    /// The text of an identifier that a program of C made: not an `NSUUID`, and of no class that has a name.
    static func text(ofIdentifier object: AnyObject) -> NSString? {
        guard typeID(of: object) == uuid, !(object is NSUUID) else { return nil }
        let text = unsafe runtimeText(nil, Unmanaged.passUnretained(object).toOpaque())
        return unsafe Unmanaged<AnyObject>.fromOpaque(text).takeRetainedValue() as? NSString
    }

    /// Calls `body` with each key and value as the original objects. Foundation's own enumeration first converts
    /// everything inside to Swift values, recursively: five times slower, and deep nesting overflows the stack. And it
    /// looks values up by their keys, which in a dictionary of C may be compared by address.
    package static func forEach(in dictionary: NSDictionary, _ body: (AnyObject, AnyObject) -> Void) {
        let count = dictionary.count
        guard count > 0 else { return }
        // A custom subclass may create its objects during the enumeration, and then nothing retains them.
        let type: AnyClass = type(of: dictionary)
        guard type == NSDictionary.self || type == NSMutableDictionary.self || type == dictionaryOfC else {
            return unsafe dictionary.enumerateKeysAndObjects { key, value, _ in
                body(key as AnyObject, value as AnyObject)
            }
        }
        unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: count) { keys in
            unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: count) { values in
                unsafe runtimeKeysAndValues(
                    Unmanaged.passUnretained(dictionary).toOpaque(), keys.baseAddress, values.baseAddress)
                for index in 0..<count {
                    guard let key = unsafe keys[index], let value = unsafe values[index] else { continue }
                    unsafe body(object(at: key), object(at: value))
                }
            }
        }
    }

    /// Calls `body` with each element as the original object.
    package static func forEach(in array: NSArray, _ body: (AnyObject) -> Void) {
        let count = array.count
        guard count > 0 else { return }
        let type: AnyClass = type(of: array)
        guard type == NSArray.self || type == NSMutableArray.self || type == arrayOfC else {
            for element in array { body(element as AnyObject) }
            return
        }
        unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: count) { values in
            unsafe runtimeValues(Unmanaged.passUnretained(array).toOpaque(), 0, count, values.baseAddress)
            for index in 0..<count {
                if let value = unsafe values[index] { unsafe body(object(at: value)) }
            }
        }
    }

    private static func object(at address: UnsafeRawPointer) -> AnyObject {
        unsafe Unmanaged<AnyObject>.fromOpaque(address).takeUnretainedValue()
    }
}
