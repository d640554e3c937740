package import LatchkeyBackupFormat
package import LatchkeyFileAccess
package import LatchkeyKeychainMessages

/// A reason for which a backup, a restore or a rehearsal ended early. The next run goes on where this one ended.
///
/// A restore that has begun ends with ``unfinished(_:_:)``: after any other one, nothing was restored.
package enum RunFailure: Error, Sendable {
    case cancelled
    /// A folder that is to be backed up cannot be read.
    case source(BackupSource, AccessFailure)
    /// The folder that holds the backup, or the one that is restored to, with the system's error.
    case target(path: String, errno: Int32)
    /// The files do not fit into the directory that they are to be restored to.
    case noRoom(path: String, needed: UInt64, free: UInt64)
    /// Another run works on the same backup, or restores to the same directory.
    case inUse(path: String)
    /// The backup itself.
    case backup(BackupFailure)
    /// Files or items of the backup are damaged, missing, hostile or in each other's way. With leave to skip them, the rest
    /// is restored.
    case damage(files: [BackupRestoration.FailedFile], items: [DamagedItem])
    /// The device refused.
    case device(DeviceRefusal)
    /// The device is locked: a file could not be read, and the backup would lack it.
    case locked(path: String)
    /// The device is locked: a file of its class cannot be made.
    case lockedForWriting(path: String)
    /// A failure that is not expected, as a text.
    case unexpected(String)
    /// A restore ended after it had begun: the report has what was done by then.
    indirect case unfinished(BackupRestoration.Report, RunFailure)
}
