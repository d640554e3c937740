import Foundation
import Security

// The shells of calls: arguments that are wrong become the result that the function reports for them, and what the Swift
// face returns goes to the caller by the Create rule.

/// A place where C wants an object, to be released by the caller.
typealias Slot = UnsafeMutablePointer<UnsafeRawPointer?>

/// Runs a call that returns a result code; `errSecParam` for wrong arguments.
func status(_ body: () throws(WrongObject) -> OSStatus) -> OSStatus {
    do throws(WrongObject) {
        return try body()
    } catch {
        return errSecParam
    }
}

/// Runs a call that fills a slot, and fills the caller's: if the call succeeds, or fails with a result, as an import does
/// that cannot be stored.
func filling<Object: AnyObject>(
    _ slot: Slot?, _ body: (UnsafeMutablePointer<Object?>) throws(WrongObject) -> OSStatus
) -> OSStatus {
    status { () throws(WrongObject) in
        let slot = unsafe try present(slot)
        var object: Object?
        let code = unsafe try body(&object)
        if code == errSecSuccess || object != nil { unsafe slot.pointee = unsafe object.map { unsafe outgoing($0) } }
        return code
    }
}

/// Runs a call that returns an object or nil; nil for wrong arguments.
func object(_ body: () throws(WrongObject) -> AnyObject?) -> UnsafeRawPointer? {
    do throws(WrongObject) {
        return unsafe try body().map { unsafe outgoing($0) }
    } catch {
        return nil
    }
}

/// Runs a call that returns an object, or nil and an error.
func object(
    _ error: Slot?, _ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) throws(WrongObject) -> AnyObject?
) -> UnsafeRawPointer? {
    unsafe failable(error, body).map { unsafe outgoing($0) }
}

/// Runs a call that succeeds, or fails with an error.
func failable<Result>(
    _ slot: Slot?, _ body: (UnsafeMutablePointer<Unmanaged<CFError>?>) throws(WrongObject) -> Result?
) -> Result? {
    var failure: Unmanaged<CFError>?
    var result: Result?
    do throws(WrongObject) {
        result = unsafe try body(&failure)
    } catch {
        let reason = "An argument is NULL, or an object of another type."
        unsafe failure = Unmanaged.passRetained(KeyCallFailure(errSecParam, reason).error)
    }
    if let failure = unsafe failure {
        let error = unsafe failure.takeRetainedValue()
        if let slot = unsafe slot { unsafe slot.pointee = unsafe outgoing(error) }
    }
    return result
}

extension Bool {
    /// The `Boolean` of Core Foundation, in which every number but 0 is true.
    init(_ boolean: UInt8) { self = boolean != 0 }
}

extension UInt8 {
    /// The `Boolean` of Core Foundation.
    init(_ truth: Bool) { self = truth ? 1 : 0 }
}
