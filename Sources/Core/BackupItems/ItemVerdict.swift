import LatchkeyAccessControl
package import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER

/// Where a backup takes an item (`Docs/Formats/backup.md`).
package enum ItemVerdict: Sendable, Hashable {
    /// Comes back on every device that the backup is restored to.
    case anyDevice
    /// Comes back on the device that it was backed up from alone.
    case thisDevice
    case leftOut(Reason)

    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// Its class ends with the passcode, and is in no keybag of a backup.
        case passcodeSet
        /// It ends with the next restart on purpose.
        case untilReboot
        /// Its private key never leaves the enclave.
        case enclaveKey
        /// It opens for a person alone.
        case accessControl
        /// It is of another token.
        case token
        case sharingGroup
        /// It stays on its device across a restore.
        case systemBound
    }

    /// - Parameter isEncrypted: without a password, everything is bound to the device.
    package init(_ item: StoredItem, isEncrypted: Bool) {
        self = Self.verdict(item) ?? Self.migration(of: item.accessible, isEncrypted: isEncrypted)
    }

    private static func verdict(_ item: StoredItem) -> ItemVerdict? {
        if let token = item.attributes[.tokenID], token != .null {
            return .leftOut(token == .string(KeyAttributes.enclaveToken) ? .enclaveKey : .token)
        }
        if item.attributes[.sharingGroup] != nil { return .leftOut(.sharingGroup) }
        if case .integer(let number)? = item.attributes[.isSystemBound], number != 0 { return .leftOut(.systemBound) }
        if systemGroups.contains(item.accessGroup) { return .leftOut(.systemBound) }
        if item.accessible == .whenPasscodeSetThisDeviceOnly { return .leftOut(.passcodeSet) }
        if item.accessControl.isConstrained { return .leftOut(.accessControl) }
        return nil
    }

    /// Groups that stay on their device across a restore.
    package static let systemGroups: Set<String> = ["com.apple.security.sos", "lockdown-identities"]

    /// Groups of the system whose items a restore does not delete, so that the device keeps its place in a circle.
    package static let groupsKeptAtRestore: Set<String> = systemGroups.union([
        "com.apple.security.sos-usercredential", "com.apple.security.ckks", "com.apple.security.egoIdentities",
        "com.apple.security.octagon",
    ])

    private static func migration(of accessible: ProtectionClass, isEncrypted: Bool) -> ItemVerdict {
        switch accessible {
        case .whenPasscodeSetThisDeviceOnly: .leftOut(.passcodeSet)
        case .untilReboot: .leftOut(.untilReboot)
        default: accessible.isThisDeviceOnly || !isEncrypted ? .thisDevice : .anyDevice
        }
    }
}

extension ItemVerdict {
    /// As messages and documents name it.
    package var text: String {
        switch self {
        case .anyDevice: "any-device"
        case .thisDevice: "this-device"
        case .leftOut(let reason): reason.rawValue
        }
    }

    package init?(text: String) {
        switch text {
        case Self.anyDevice.text: self = .anyDevice
        case Self.thisDevice.text: self = .thisDevice
        default:
            guard let reason = Reason(rawValue: text) else { return nil }
            self = .leftOut(reason)
        }
    }

    /// The same item in a backup without a password: everything is bound to the device.
    package var withoutPassword: ItemVerdict { self == .anyDevice ? .thisDevice : self }

    /// Further reasons, which the item itself does not show.
    package static let lockedText = "locked"
    package static let undecodableText = "undecodable"
    package static let withheldText = "withheld"
}
