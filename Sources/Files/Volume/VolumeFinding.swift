/// Something that ``VolumeCheck`` found at one stored entry.
package struct VolumeFinding: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// These ranges of a file's content are missing or altered.
        case damagedContent([Range<UInt64>])
        /// No header of a file is authentic, or the headers of two files are mixed: the file cannot be opened.
        case damagedHeader
        /// One of a file's two headers is damaged; the content is intact. Opening the file for writing replaces it.
        case damagedHeaderCopy(isRepaired: Bool)
        /// The device has no key for the file: its header was altered, or is of another device.
        case noKey
        /// The file needs a later release.
        case newerVersion(UInt32)
        /// A file in clear, under a name of the volume.
        case notProtected
        /// An extended attribute, the permissions or the target of a link was not sealed for this entry.
        case damagedAttribute
        case damagedTarget
        /// A directory without its identifier: no name in it can be read.
        case noIdentifier
        /// A second directory or file with an identifier: a copy was made in the storing directory.
        case repeatedIdentifier
        /// A sealed name of another directory or volume, or an altered one. Programs do not see the entry.
        case foreignName
        /// An entry that no volume makes. Programs do not see it.
        case foreign
        /// An operation was cut off. Programs do not see the entry.
        case remnant(isRemoved: Bool)
        /// The entry could not be read, with the number of `errno`.
        case unreadable(Int32)

        /// True if something that was stored is lost or altered, or cannot be known to be intact.
        package var isDamage: Bool {
            switch self {
            case .damagedHeaderCopy(let isRepaired): !isRepaired
            case .foreign, .remnant: false
            default: true
            }
        }
    }

    /// The names in the volume, from its root on; the last one as it is stored if it cannot be read.
    package let path: [[UInt8]]
    /// The names in the storing directory.
    package let stored: [[UInt8]]
    package let kind: Kind
}
