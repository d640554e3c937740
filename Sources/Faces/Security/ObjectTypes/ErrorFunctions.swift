public import Foundation

// All constants are immutable objects: sharing them is safe.

/// The domain of errors that carry an `OSStatus`.
nonisolated(unsafe) public let kCFErrorDomainOSStatus: CFErrorDomain! = NSString(string: NSOSStatusErrorDomain)
/// The domain of errors that carry an `errno`.
nonisolated(unsafe) public let kCFErrorDomainPOSIX: CFErrorDomain! = NSString(string: NSPOSIXErrorDomain)
nonisolated(unsafe) public let kCFErrorLocalizedDescriptionKey: CFString! = NSString(string: NSLocalizedDescriptionKey)
nonisolated(unsafe) public let kCFErrorLocalizedFailureReasonKey: CFString! =
    NSString(string: NSLocalizedFailureReasonErrorKey)
nonisolated(unsafe) public let kCFErrorLocalizedRecoverySuggestionKey: CFString! =
    NSString(string: NSLocalizedRecoverySuggestionErrorKey)
nonisolated(unsafe) public let kCFErrorUnderlyingErrorKey: CFString! = NSString(string: NSUnderlyingErrorKey)

@discardableResult
public func CFErrorCreate(
    _ allocator: CFAllocator!, _ domain: CFErrorDomain!, _ code: CFIndex, _ userInfo: CFDictionary!
) -> CFError! {
    NSError(domain: String(describing: domain as CFErrorDomain), code: code, userInfo: userInfo as? [String: Any])
}

@discardableResult
public func CFErrorGetCode(_ err: CFError!) -> CFIndex { err.code }

@discardableResult
public func CFErrorGetDomain(_ err: CFError!) -> CFErrorDomain! { NSString(string: err.domain) }

@discardableResult
public func CFErrorCopyDescription(_ err: CFError!) -> CFString! { NSString(string: err.localizedDescription) }

@discardableResult
public func CFErrorCopyFailureReason(_ err: CFError!) -> CFString! {
    err.localizedFailureReason.map { NSString(string: $0) }
}

@discardableResult
public func CFErrorCopyRecoverySuggestion(_ err: CFError!) -> CFString! {
    err.localizedRecoverySuggestion.map { NSString(string: $0) }
}

/// Returns the user info. Never nil: an error without further information has an empty dictionary.
@discardableResult
public func CFErrorCopyUserInfo(_ err: CFError!) -> CFDictionary! { err.userInfo as NSDictionary }

extension NSError {
    /// Makes an error from a result code, its text and the exact reason.
    static func status(_ code: OSStatus, reason: String) -> NSError {
        NSError(
            domain: NSOSStatusErrorDomain, code: Int(code),
            userInfo: [
                NSLocalizedDescriptionKey: ResultMessage.text(of: code), NSLocalizedFailureReasonErrorKey: reason,
            ])
    }
}
