public import Foundation
import LatchkeyAccessControl

/// Makes an access control.
///
/// - Parameters:
///   - allocator: ignored.
///   - protection: one of the `kSecAttrAccessible` constants.
///   - flags: the conditions.
///   - error: filled whenever the result is nil, for the caller to release.
/// - Returns: nil for an unknown protection and for flags that contradict each other.
@discardableResult
public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    do throws(CreationRefusal) {
        let rules = try AccessControl(
            protection: (protection as? NSString)?.wellFormed,
            flags: AccessControlFlags(rawValue: UInt64(flags.rawValue)))
        return SecAccessControl(rules)
    } catch let refusal {
        unsafe error?.pointee = unsafe Unmanaged.passRetained(NSError.status(errSecParam, reason: refusal.description))
        return nil
    }
}
