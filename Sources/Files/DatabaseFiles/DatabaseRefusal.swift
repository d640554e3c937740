import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// A failure of one call of SQLite: what happened, and a message for its error log.
struct DatabaseRefusal: Error {
    /// The call that failed.
    enum Deed {
        case open, begin, read, write, synchronize, truncate, size, remove, close
    }

    enum Kind {
        /// The device does not give out the key: mostly because it is locked.
        case locked
        case otherDevice
        case damaged
        case full
        case readOnly
        case busy
        case inClear
        /// The file is not tied to the database, or is not a super-journal.
        case foreign
        case newerVersion
        case wrongParameter
        case missing
        case failed
    }

    let kind: Kind
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    init(_ failure: AccessFailure, path: String?) {
        let (kind, reason) = Self.parts(failure)
        self.init(kind, "latchkey: \(path ?? "a temporary file"): \(reason)")
    }

    /// A journal or log that is not its database's.
    init(notTied path: String) {
        self.init(
            .foreign,
            "latchkey: \(path): the file is not tied to the database beside it: it belongs to another one, or was put there. It was not read, and stays. If an earlier version of Latchkey wrote to the database, open and close it once with that version; otherwise move the file away."
        )
    }

    /// A file that a journal names as its super-journal.
    init(noSuperJournal path: String) {
        self.init(
            .foreign,
            "latchkey: \(path): a journal names this file as the list of a transaction over several databases, and it is not one. It was not read, and stays."
        )
    }

    /// A super-journal whose database is not open, or that is not tied to it.
    init(superJournalStays path: String) {
        self.init(
            .foreign,
            "latchkey: \(path): the list of a transaction over several databases stays, because its database is not open here, or an earlier version made it. It is no longer needed when all these databases have been opened."
        )
    }

    private static func parts(_ failure: AccessFailure) -> (Kind, String) {
        switch failure {
        case .refused(let refusal):
            let text = [refusal.refusal?.reason, refusal.refusal?.advice].compactMap { $0 }.joined(separator: " ")
            switch refusal.code {
            case .interactionNotAllowed: return (.locked, text.isEmpty ? lockedReason : text)
            case .decode: return (.otherDevice, text)
            default: return (.failed, text.isEmpty ? "The device answered with \(refusal.code.rawValue)." : text)
            }
        case .inUse:
            return (
                .busy,
                "Another process has the database open. A protected database belongs to the process that writes it; close it there, or have all processes open it with mode=ro."
            )
        case .notProtected:
            return (
                .inClear,
                "The file is stored in clear. Give it a class with ProtectedFileManager.setAttributes, or open it with vfs=unix."
            )
        case .unknownClass(let number):
            return (.damaged, "The file names the protection class \(number), which does not exist.")
        case .system(let call, let number): return (kind(of: number), "\(call) failed with errno \(number).")
        case .file(let failure): return parts(failure)
        }
    }

    private static let lockedReason =
        "The device does not give out the key of the file. Unlock the device, then try again."

    private static func parts(_ failure: FileFailure) -> (Kind, String) {
        switch failure {
        case .backing(.noSpace): (.full, "The disk is full.")
        case .backing(.readOnly): (.readOnly, "The file system allows no writing.")
        case .backing(.system(let number)): (kind(of: number), "The disk failed with errno \(number).")
        case .tooLarge: (.full, "The file has the greatest length that the format allows.")
        case .readOnly: (.readOnly, "The file was opened for reading only.")
        case .damaged(let range):
            (
                .damaged,
                "The bytes \(range.lowerBound) to \(range.upperBound) are damaged or altered. Restore the file from a backup."
            )
        case .notAuthentic, .headersDisagree, .notProtectedFile:
            (.damaged, "The header of the file is damaged, or another file's. Restore the file from a backup.")
        case .newerVersion(let version):
            (.newerVersion, "The file has format \(version), which needs a later version of Latchkey.")
        case .closed: (.failed, "The file is closed.")
        case .unsettled:
            (.failed, "The disk failed, and it is unknown how much of the last changes it has. SQLite rolls them back.")
        case .notEmpty: (.failed, "The file has content already.")
        case .wrappedKeyTooLong: (.failed, "The device gave a key that no file can hold.")
        }
    }

    private static func kind(of number: Int32) -> Kind {
        switch number {
        case ENOENT, ENOTDIR: .missing
        case ENOSPC, EDQUOT, EFBIG: .full
        case EROFS: .readOnly
        default: .failed
        }
    }
}
