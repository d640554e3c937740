import Foundation
import Security

@c(SecItemAdd)
public func secItemAdd(_ attributes: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int32 {
    unsafe answer(into: result) { slot throws(WrongObject) in
        unsafe SecItemAdd(try required(attributes), slot)
    }
}

@c(SecItemCopyMatching)
public func secItemCopyMatching(
    _ query: UnsafeRawPointer?, _ result: UnsafeMutablePointer<UnsafeRawPointer?>?
) -> Int32 {
    unsafe answer(into: result) { slot throws(WrongObject) in
        unsafe SecItemCopyMatching(try required(query), slot)
    }
}

@c(SecItemUpdate)
public func secItemUpdate(_ query: UnsafeRawPointer?, _ attributesToUpdate: UnsafeRawPointer?) -> Int32 {
    status { () throws(WrongObject) in
        unsafe SecItemUpdate(try required(query), try required(attributesToUpdate))
    }
}

@c(SecItemDelete)
public func secItemDelete(_ query: UnsafeRawPointer?) -> Int32 {
    status { () throws(WrongObject) in unsafe SecItemDelete(try required(query)) }
}

/// Runs a call whose caller may not want a result.
private func answer(
    into slot: Slot?, _ call: (UnsafeMutablePointer<CFTypeRef?>?) throws(WrongObject) -> OSStatus
) -> OSStatus {
    guard let slot = unsafe slot else { return status { () throws(WrongObject) in try call(nil) } }
    return unsafe filling(slot) { object throws(WrongObject) in unsafe try call(object) }
}
