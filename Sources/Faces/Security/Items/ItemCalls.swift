public import Foundation
import LatchkeyKeychainMessages

/// Adds an item.
///
/// - Parameters:
///   - attributes: class, attributes and data of the item, and what to return.
///   - result: where the result goes; written only on success.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    unsafe ItemCall(operation: .add, query: attributes).perform(result)
}

/// Finds items.
///
/// - Parameters:
///   - query: what to look for, how many, and what to return.
///   - result: where the result goes; written only on success.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    unsafe ItemCall(operation: .find, query: query).perform(result)
}

/// Changes all items that match a query.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    unsafe ItemCall(operation: .update, query: query, changes: attributesToUpdate).perform(nil)
}

/// Deletes all items that match a query.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    unsafe ItemCall(operation: .delete, query: query).perform(nil)
}
