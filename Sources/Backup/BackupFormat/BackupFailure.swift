package import LatchkeyKeybag

/// A reason for which a backup cannot be opened, read or written.
package enum BackupFailure: Error, Sendable, Equatable {
    package enum RecordFault: Sendable, Hashable {
        /// Neither file, directory nor link.
        case kind
        case tooLong
        case archive
        /// The archive speaks of another path than the row.
        case otherPath
        /// The row's number is not the one of its domain and path.
        case otherNumber
        case key
        /// A path that leads out of its domain, or that no file can have.
        case path
    }

    /// There is no backup in this folder.
    case notABackup(path: String)
    /// There are several in it.
    case severalBackups([String])
    /// A file of the backup itself is missing.
    case missing(String)
    /// A file of the backup itself is not what it should be.
    case damaged(String)
    /// A file of the backup itself is sound as far as can be known, and in a form that this release does not read, with the
    /// reason for people.
    case unsupported(String, why: String)
    /// A value of the backup is outside the limits of this reader.
    case beyondLimits(String)
    /// Another backup has taken the place of this one while it was read.
    case changedMeanwhile
    /// A run is moving its new backup to this place, and does not come to an end.
    case beingMoved(path: String)
    /// Readers keep the last backup from being moved to its place.
    case beingRead(path: String)
    /// The password does not open the keybag.
    case wrongPassword
    /// The keybag cannot be used.
    case keybag(KeybagUnlockFailure)
    /// The key of this class is not there, or is another device's.
    case keyMissing(classNumber: Int)
    /// A wrapped key does not open.
    case keyNotAuthentic
    /// The device gives out no keys, with its reason.
    case keysRefused(String)
    case badRecord(domain: String, path: String, RecordFault)
    /// A payload that is not there.
    case payloadMissing(FileID)
    /// A payload that does not decrypt, or is not the one that was stored.
    case payloadDamaged(FileID)
    /// A call of the system, with its `errno`.
    case system(path: String, errno: Int32)
    case cancelled
}
