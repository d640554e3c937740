package import LatchkeyItemModel

/// The version of an item as the device knows it, without its content: the columns that `syncitems` and `syncreplaced` share.
package struct SyncVersionRow: Sendable, Hashable {
    package static let versionByteCount = 32

    /// The device that made a version.
    package static func device(ofVersion version: [UInt8]) -> [UInt8] {
        Array(version.suffix(SyncDotRow.deviceByteCount))
    }

    package var version: [UInt8]
    package var base: [UInt8]?
    /// Where the version was published. Nil while it waits.
    package var dot: SyncDotRow?
    package var state: UInt8
    package var zone: UInt8
    package var digest: [UInt8]?

    package init(
        version: [UInt8], base: [UInt8]?, dot: SyncDotRow?, state: UInt8, zone: UInt8, digest: [UInt8]?
    ) {
        self.version = version
        self.base = base
        self.dot = dot
        self.state = state
        self.zone = zone
        self.digest = digest
    }
}

/// A segment of a stream: device, zone and number.
package struct SyncDotRow: Sendable, Hashable {
    package static let deviceByteCount = 16

    package let device: [UInt8]
    package let zone: UInt8
    package let number: UInt64

    package init(device: [UInt8], zone: UInt8, number: UInt64) {
        self.device = device
        self.zone = zone
        self.number = number
    }

    var values: [ColumnValue] { [.bytes(device), .integer(Int64(zone)), .unsigned(number)] }
}

/// A row of `syncitems`: a name, the item row that has it, and the version of the item.
package struct SyncItemRow: Sendable, Hashable {
    package let name: [UInt8]
    /// The class and number of the item row. Nil if there is no such row: the item was deleted, or is absent here.
    package let place: RowPlace?
    /// Nil if the item has no version yet.
    package let known: SyncVersionRow?

    package init(name: [UInt8], place: RowPlace?, known: SyncVersionRow?) {
        self.name = name
        self.place = place
        self.known = known
    }
}

/// The class and number of an item row.
package struct RowPlace: Sendable, Hashable {
    package let itemClass: ItemClass
    package let rowID: Int64

    package init(_ itemClass: ItemClass, _ rowID: Int64) {
        self.itemClass = itemClass
        self.rowID = rowID
    }
}

/// A row of `syncchanges`: a change by a program of this device that the version of the item does not have yet.
package struct SyncChangeRow: Sendable, Hashable {
    package enum Kind: UInt8, Sendable, Hashable {
        case put = 1
        case deletedEverywhere = 2
        case deletedHere = 3
    }

    package let name: [UInt8]
    /// A number of the change sequence: greater for the later change.
    package let number: Int64
    package let kind: Kind
    /// The other name of a primary key change: of a put the former name, of a deletion the new one.
    package let partner: [UInt8]?
    /// The content that was put.
    package let content: SharedContent?
    /// The part of the version that the change has.
    package let stamp: SyncStampRow

    package init(
        name: [UInt8], number: Int64, kind: Kind, partner: [UInt8]? = nil, content: SharedContent? = nil,
        stamp: SyncStampRow = .none
    ) {
        self.stamp = stamp
        self.name = name
        self.number = number
        self.kind = kind
        self.partner = partner
        self.content = content
    }
}
