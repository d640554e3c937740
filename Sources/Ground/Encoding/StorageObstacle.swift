import Glibc

/// The reason why a stored file could not be opened or read, judged by the code of SQLite or of the system.
///
/// One judgement for every format. Only ``damage`` speaks of the bytes on the disk: only then may a file be called damaged,
/// be set aside, or be restored from a backup. Everything else ends with its cause, and the same file is sound again then.
package enum StorageObstacle: Error, Sendable, Hashable {
    /// SQLite found the file corrupt, or not a database.
    case damage
    /// Another process has the file locked.
    case busy
    /// The system refused, with its `errno`.
    case system(Int32)
    /// Any other code of SQLite. It says nothing of the file.
    case database(Int32)

    /// Judges a result code of SQLite; extended codes are judged by their last byte.
    ///
    /// - Parameter systemError: the `errno` behind it; 0 if it is not known.
    package init(databaseCode: Int32, systemError: Int32 = 0) {
        self =
            switch databaseCode & 0xFF {
            case 11, 26: .damage  // SQLITE_CORRUPT, SQLITE_NOTADB
            case 5, 6: .busy  // SQLITE_BUSY, SQLITE_LOCKED
            case 3: .system(systemError == 0 ? EACCES : systemError)  // SQLITE_PERM
            case 7: .system(ENOMEM)  // SQLITE_NOMEM
            case 8: .system(systemError == 0 ? EROFS : systemError)  // SQLITE_READONLY
            case 10: .system(systemError == 0 ? EIO : systemError)  // SQLITE_IOERR
            case 13: .system(systemError == 0 ? ENOSPC : systemError)  // SQLITE_FULL
            case 14 where systemError != 0: .system(systemError)  // SQLITE_CANTOPEN
            default: .database(databaseCode)
            }
    }

    /// Judges an `errno`. No call of the system finds a file of ours damaged: where the file system's own check fails, more
    /// than this file is in danger.
    package init(systemError number: Int32) {
        self = [EBUSY, ETXTBSY, EWOULDBLOCK, EDEADLK].contains(number) ? .busy : .system(number)
    }

    /// True if something else than a file is in its place, which no other moment changes.
    package var isOtherKind: Bool {
        if case .system(let number) = self { [EISDIR, ENOTDIR, ELOOP].contains(number) } else { false }
    }

    /// The cause, as the end of a sentence.
    package var reason: String {
        switch self {
        case .damage: "the file is damaged"
        case .busy: "another process holds it locked"
        case .system(let number):
            unsafe strerror(number).map { unsafe String(cString: $0) } ?? "error \(number) of the system"
        case .database(let code): "SQLite answered \(code)"
        }
    }

    /// One sentence that says what to do.
    package var advice: String {
        switch self {
        case .damage: "Restore the file from a backup."
        case .busy: "Wait until the other process has finished, or end it."
        case .database: "Try again; if it stays, report it. Leave the file as it is."
        case .system(let number): Self.advice(number)
        }
    }

    private static func advice(_ number: Int32) -> String {
        switch number {
        case EMFILE: "Raise the limit of open files of this process (ulimit -n), or close some."
        case ENFILE: "Raise the limit of open files of this machine (sysctl fs.file-max), or end programs."
        case ENOSPC, EDQUOT: "Free space on its file system."
        case EACCES, EPERM: "Give this user permission to read and write it and to enter its directories."
        case EROFS: "Mount its file system for writing, or make its directory writable (chmod u+w)."
        case ENOMEM: "Close programs, or give this one more memory."
        case EIO, EREMOTEIO, ENODEV, ENXIO:
            "The disk or its connection failed: look at the kernel's log (dmesg) and copy what can still be read."
        case EUCLEAN, EBADMSG: "The file system itself is damaged: unmount it and have it checked (fsck)."
        case ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENOTCONN:
            "Wait until the server of its file system answers again, or mount it anew."
        case ENOENT: "Put the file back, or name the right directory."
        case EISDIR, ENOTDIR, ELOOP: "Something else is in the place of the file: move it away."
        default: "Try again once the cause is removed."
        }
    }
}
