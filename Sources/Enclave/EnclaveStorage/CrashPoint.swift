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
    /// Exists only after a program has asked for biometry on this device.
    case enrolment
    /// Exists only after an enclave key was deleted on this device.
    case deletedKeys = "deleted-keys"
    /// Empty; used only for its lock.
    case lock

    var temporaryName: String { rawValue + ".new" }

    /// The size limit of a file. The enclave never writes a longer one.
    var byteCountLimit: Int {
        self == .deletedKeys ? DeletedKeys.fileByteCountLimit : 256 * 1024
    }
}

/// Called at every crash point. It may end the process, copy the directory, or return an error number that makes the
/// next system call fail.
package typealias CrashPointHook = @Sendable (CrashPoint) -> Int32?
