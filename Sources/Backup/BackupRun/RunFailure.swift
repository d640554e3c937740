package import LatchkeyBackupFormat
package import LatchkeyFileAccess
package import LatchkeyKeychainMessages

/// A reason for which a backup, a restore or a rehearsal ended early. The next run goes on where this one ended.
package enum RunFailure: Error, Sendable {
    case cancelled
    /// A folder that is to be backed up cannot be read.
    case source(BackupSource, AccessFailure)
    /// The folder that holds the backup, or the one that is restored to, with the system's error.
    case target(path: String, errno: Int32)
    /// Another run works on the same backup.
    case inUse(path: String)
    /// The backup itself.
    case backup(BackupFailure)
    /// Files or items of the backup are damaged, missing or hostile. With leave to skip them, the rest is restored.
    case damage(files: [BackupRestoration.FailedFile], items: [DamagedItem])
    /// The device refused.
    case device(DeviceRefusal)
    /// The device is locked: a file could not be read, and the backup would lack it.
    case locked(path: String)
}
