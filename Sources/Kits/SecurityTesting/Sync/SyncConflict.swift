import LatchkeyItemModel
import LatchkeyKeychainService
import LatchkeyPropertyListDER

/// A version of an item that lost against another and is kept on a device.
public struct SyncConflict: Sendable, Hashable {
    /// The device that keeps it.
    public let device: VirtualDevice
    public let reason: Reason
    /// `kSecAttrLabel`. This and the next three are nil where the item has no such text, and while its class is locked.
    public let label: String?
    /// `kSecAttrAccount`.
    public let account: String?
    /// `kSecAttrService` of a generic password.
    public let service: String?
    /// `kSecAttrServer` of an internet password.
    public let server: String?
    let number: Int64

    public enum Reason: Sendable, Hashable {
        /// A greater version whose author did not have this one.
        case overruled
        /// A deletion on another device.
        case deleted
        /// The joining device and the circle had different items of one name.
        case joined
        /// Another version was restored in its place: ``SyncLaboratory/restore(_:)``.
        case replaced
    }
}

extension SyncConflict {
    init(_ kept: KeptConflict, on device: VirtualDevice) {
        func text(_ name: AttributeName) -> String? {
            guard case .string(let text)? = kept.attributes?[name] else { return nil }
            return text
        }
        self.init(
            device: device, reason: Reason(kept.reason), label: text(.label), account: text(.account),
            service: text(.service), server: text(.server), number: kept.number)
    }
}

extension SyncConflict.Reason {
    fileprivate init(_ reason: KeptConflict.Reason) {
        self =
            switch reason {
            case .overruled: .overruled
            case .deleted: .deleted
            case .joined: .joined
            case .replaced: .replaced
            }
    }
}
