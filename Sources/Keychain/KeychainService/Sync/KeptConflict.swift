package import LatchkeyEncoding
import LatchkeyItemDatabase
package import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// A version of an item that lost against another one and is kept on this device, without its secret.
package struct KeptConflict: Sendable, Hashable {
    /// The reason why the version is not the item.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A greater version whose author did not have this one.
        case overruled
        /// A deletion on another device.
        case deleted
        /// A device that joined and its circle had different items of one name.
        case joined
        /// The user restored another version in its place.
        case replaced
    }

    /// The number by which the version is restored. It stays while the version is kept, and no other version ever has it.
    package let number: Int64
    package let reason: Reason
    package let itemClass: ItemClass
    package let accessGroup: String
    /// The attributes by which a person knows the item, as far as they are set. Nil if they cannot be read now: their
    /// class is locked, or they are damaged.
    package let attributes: [AttributeName: PropertyValue]?
    package let created: WallTime
    package let modified: WallTime
    /// The date on which the version lost, by the clock of this device.
    package let kept: WallTime
    /// The identifier, in the circle, of the device that wrote the version. Nil if the item had no version.
    package let device: [UInt8]?

    /// - Parameter item: the opened row; nil if it does not open now.
    init(_ conflict: SyncConflictRow, _ item: StoredItem?) {
        let row = conflict.row
        number = conflict.id
        reason = Reason(conflict.reason)
        itemClass = row.itemClass
        accessGroup = row.accessGroup
        attributes = item.map { item in
            item.attributes.filter { Self.naming(item.itemClass).contains($0.key) }
        }
        created = WallTime(microsecondsSince2001: row.creationDate)
        modified = WallTime(microsecondsSince2001: row.modificationDate)
        kept = WallTime(microsecondsSince2001: conflict.kept)
        device = conflict.version.map { SyncVersionRow.device(ofVersion: $0) }
    }

    private static func naming(_ itemClass: ItemClass) -> Set<AttributeName> {
        switch itemClass {
        case .genericPassword: [.label, .account, .service]
        case .internetPassword: [.label, .account, .server, .protocol, .port, .path, .securityDomain]
        case .certificate, .identity: [.label]
        case .key: [.label, .applicationTag]
        }
    }
}

extension KeptConflict.Reason {
    fileprivate init(_ reason: SyncConflictRow.Reason) {
        self =
            switch reason {
            case .overruled: .overruled
            case .deleted: .deleted
            case .joined: .joined
            case .replaced: .replaced
            }
    }
}

/// The reason why a version was not restored. Nothing has changed.
package enum ConflictFailure: Error, Sendable {
    /// No version of this number is kept: it was restored, or has ended.
    case unknown
    /// The class of the item is locked.
    case locked
    case failed(CallFailure)
}
