/// The place of a row among the items that the devices of a circle share.
package enum RowListing: Sendable, Hashable {
    /// The row is not shared: there is no circle, or its rules leave the item out.
    /// - Parameter departure: what becomes of the shared item that the row was before.
    case unlisted(RowDeparture)
    /// The row may be shared, but it has no name yet: the keys for that are not available, or the caller does not know
    /// of a circle. While the device is in one, ``ItemReader/unnamedRows(of:after:limit:)`` returns the row.
    /// - Parameter leavesName: the primary key is another one than before, so that every device deletes the item of the former name.
    case later(leavesName: Bool)
    /// The row is shared, and a program of this device wrote it.
    /// - Parameter device: this device in the circle whose keys named the row.
    case listed(SharedContent, device: [UInt8])
    /// Another device wrote the item of this name. The row is not reported as a change.
    case remote(name: [UInt8])

    /// The name of the shared item, if the row is one.
    var name: [UInt8]? {
        switch self {
        case .unlisted, .later: nil
        case .listed(let content, _): content.name
        case .remote(let name): name
        }
    }
}

/// The effect on other devices when a shared row ends.
package enum RowDeparture: Sendable, Hashable {
    /// Every device deletes the item.
    case everywhere
    /// Only this device no longer has the item.
    case here
    /// Another device has deleted the item, or has replaced it.
    case remote
}

/// The name of a shared item, and the digest of its content.
package struct SharedContent: Sendable, Hashable {
    package static let nameByteCount = 16
    package static let digestByteCount = 32

    package let name: [UInt8]
    /// The number of the zone: 1 for A, 2 for C.
    package let zone: UInt8
    package let digest: [UInt8]

    package init(name: [UInt8], zone: UInt8, digest: [UInt8]) {
        precondition(name.count == Self.nameByteCount && digest.count == Self.digestByteCount)
        self.name = name
        self.zone = zone
        self.digest = digest
    }
}
