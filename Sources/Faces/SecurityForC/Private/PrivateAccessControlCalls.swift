import Foundation
import LatchkeyAccessControl
import LatchkeyThreading
import Security

// Private accessors of access controls. They follow the Get rule: the caller releases nothing. Their results stay as long
// as the process, because an access control has no place for them; there are few different ones.

/// Returns the value of `kSecAttrAccessible`.
@c(SecAccessControlGetProtection)
public func secAccessControlGetProtection(_ accessControl: UnsafeRawPointer?) -> UnsafeRawPointer? {
    guard let control = unsafe try? required(accessControl, as: SecAccessControl.self) else { return nil }
    return unsafe LastingObject.protection(control.rules.protection).address
}

/// Returns true for an operation that asks for nothing, a dictionary of conditions for one that does, and null for one
/// that is refused.
@c(SecAccessControlGetConstraint)
public func secAccessControlGetConstraint(
    _ accessControl: UnsafeRawPointer?, _ operation: UnsafeRawPointer?
) -> UnsafeRawPointer? {
    guard let control = unsafe try? required(accessControl, as: SecAccessControl.self),
        let name = unsafe try? required(operation, as: NSString.self)
    else { return nil }
    let operations = control.rules.operations
    let named = GuardedOperation(rawValue: String(describing: name)).flatMap { operations[$0] }
    switch named ?? operations[.other] {
    case .nothing: return unsafe LastingObject.truth.address
    case .conditions:
        return unsafe LastingObject.conditions(control.rules.flags.intersection([.conditions, .or])).address
    case nil: return nil
    }
}

/// An object that is made once and never released.
private enum LastingObject: Hashable {
    case truth
    case protection(ProtectionClass)
    /// Conditions, and `or` if one of them is enough.
    case conditions(AccessControlFlags)

    private static let addresses = ForkMutex<[LastingObject: UInt]>([:])

    var address: UnsafeRawPointer? {
        let bits = Self.addresses.withLock { addresses in
            if let known = addresses[self] { return known }
            let made = unsafe UInt(bitPattern: outgoing(object))
            addresses[self] = made
            return made
        }
        return unsafe UnsafeRawPointer(bitPattern: bits)
    }

    private var object: AnyObject {
        switch self {
        case .truth: kCFBooleanTrue
        case .protection(let protection): NSString(string: protection.rawValue)
        case .conditions(let flags): Self.dictionary(flags)
        }
    }

    /// The conditions by the names that the description of an access control has.
    private static func dictionary(_ flags: AccessControlFlags) -> NSDictionary {
        var entries: [String: Any] = [:]
        if flags.contains(.userPresence) { entries["cpo"] = "DeviceOwnerAuthentication" }
        if flags.contains(.biometryAny) { entries["cbio"] = "any" }
        if flags.contains(.biometryCurrentSet) { entries["cbio"] = "current" }
        if flags.contains(.devicePasscode) { entries["cup"] = true }
        if flags.contains(.companion) { entries["cwtch"] = true }
        if entries.count > 1 { entries["ckon"] = flags.contains(.or) ? 1 : entries.count }
        return entries as NSDictionary
    }
}
