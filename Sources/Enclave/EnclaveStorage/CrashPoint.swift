import LatchkeyEnclaveCore

/// A step of a write to the root of trust, for tests that cut the power there.
package struct CrashPoint: Sendable, Hashable, CustomStringConvertible {
    package enum Step: String, Sendable, CaseIterable {
        case begin = "begin"
        case temporaryMade = "temporary file made"
        case temporaryWritten = "temporary file written"
        case temporarySynced = "temporary file synced"
        case renamed = "renamed"
        case removed = "removed"
        case directorySynced = "directory synced"
        case formerOverwritten = "former content overwritten"
    }

    package let file: StorageFile
    package let step: Step

    package var description: String { "\(file.rawValue): \(step.rawValue)" }
}

/// The files of the root of trust.
package enum StorageFile: String, Sendable, CaseIterable {
    case uid
    case effaceable
    case keybag
    case attempts
    /// Only there once a program asked for biometry on this device.
    case enrolment
    /// Only there once an enclave key was deleted on this device.
    case deletedKeys = "deleted-keys"
    /// Empty; only locked.
    case lock

    var temporaryName: String { rawValue + ".new" }

    /// The size limit of a file; a longer one was not written here.
    var byteCountLimit: Int {
        self == .deletedKeys ? DeletedKeys.fileByteCountLimit : 256 * 1024
    }
}

/// Called at every crash point. It may end the process, copy the directory, or return an error number, with which the
/// next system call then fails.
package typealias CrashPointHook = @Sendable (CrashPoint) -> Int32?
