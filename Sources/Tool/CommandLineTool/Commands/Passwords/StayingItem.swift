import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER

/// The reason why an item that is to travel between devices stays on this one, for the command that stores it.
struct StayingItem {
    /// The limit of the daemon, which counts what else is in a record as well.
    private static let recordByteLimit = 1 << 20

    let attributes: [QueryPair]
    let group: String?
    let secretByteCount: Int

    /// - Parameter circle: the device's; nil if the device cannot tell.
    func reason(_ circle: CircleReport?) -> String? {
        if let ofItem { return ofItem }
        guard let circle else { return nil }
        switch circle.membership {
        case .none: return "this device is in no circle (`latchkey sync create`, `latchkey sync join`)."
        case .waiting: return "this device waits to be admitted to its circle."
        case .departed, .void: return "this device is not in its circle any more (`latchkey sync status`)."
        case .member: break
        }
        if let group, circle.isKnown, !SharedGroups.include(group, allowed: circle.allowedGroups) {
            return "the group \(group) is not shared. `latchkey sync groups allow \(group)` lets its items travel."
        }
        return circle.isPaused ? "the exchange is paused. It travels after `latchkey sync resume`." : nil
    }

    /// The reason that lies in the item itself.
    private var ofItem: String? {
        if attributes.contains(where: { $0.name == .accessControl }) {
            return "it has conditions, and only this device's enclave can judge them."
        }
        if case .string(let code)? = attributes.first(where: { $0.name == .accessible })?.value, code.hasSuffix("u") {
            return "its protection class ends with ThisDeviceOnly."
        }
        guard secretByteCount > Self.recordByteLimit else { return nil }
        return "it has more than 1 MiB."
    }
}
