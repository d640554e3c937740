/// A part of the entries of a folder that other programs fill.
package struct FolderListing: Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: String
        package let kind: Kind

        package init(name: String, kind: Kind) {
            self.name = name
            self.kind = kind
        }
    }

    package enum Kind: Hashable, Sendable {
        case file
        case folder
        /// A link, a pipe, a socket or a device.
        case other
    }

    package var entries: [Entry] = []
    /// False if the folder has more entries than were to be looked at.
    package var isComplete = true

    package init() {}
}

/// The attributes of an entry by which a change is noticed.
package struct EntryMark: Hashable, Sendable {
    package let number: UInt64
    package let byteCount: Int64
    package let modifiedNanoseconds: Int64
    package let changedNanoseconds: Int64
    package let kind: FolderListing.Kind
}

/// The content of a file that another program may have put there.
package enum FileContent: Equatable, Sendable {
    case bytes([UInt8])
    case missing
    /// The entry is not a regular file, or has more bytes than were to be read.
    case unsuitable
}
