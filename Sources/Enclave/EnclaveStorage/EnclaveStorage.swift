package import LatchkeyEnclaveCore
package import LatchkeyKeybag

/// The root of trust of a device: stores its UID, its keybag and its attempt counter.
///
/// Writes are durable when they return and leave either the old state or the new one, even if they are interrupted.
/// The keybag is encrypted under a key that the storage can forget.
package protocol EnclaveStorage: Sendable {
    /// The kind of root of trust, for people: "software" for files.
    var rootOfTrust: String { get }

    /// The device's UID and the keys derived from it.
    var hardwareKey: HardwareKey { get }

    /// The current boot of the machine; changes with every boot.
    var boot: [UInt8] { get }

    /// Blocks the passcode operations of other processes until the lock is released. Waits for theirs.
    func acquire() throws(StorageFailure) -> any StorageLock

    /// Returns the keybag; nil on a new device, and if making or erasing one was interrupted.
    func keybag() throws(StorageFailure) -> [UInt8]?

    /// Replaces the keybag and forgets the key that encrypted the one before.
    func replaceKeybag(_ bytes: [UInt8]) throws(StorageFailure)

    /// Deletes everything and starts with this keybag, no failed attempts, no recorded fingers and no deleted keys.
    func startOver(with keybag: [UInt8]) throws(StorageFailure)

    func attempts() throws(StorageFailure) -> AttemptRecord

    func replaceAttempts(_ record: AttemptRecord) throws(StorageFailure)

    /// Returns the record of enrolled fingers; nil if no program has asked for them yet.
    func enrolment() throws(StorageFailure) -> EnrolmentRecord?

    func replaceEnrolment(_ record: EnrolmentRecord) throws(StorageFailure)

    /// Returns the deleted keys of the enclave.
    func deletedKeys() throws(StorageFailure) -> DeletedKeys

    func replaceDeletedKeys(_ keys: DeletedKeys) throws(StorageFailure)

    /// Identifies the stored keybag, cheaply enough for every message; nil if that fails.
    func keybagGeneration() -> StorageGeneration?

    /// Identifies the stored attempt record.
    func attemptsGeneration() -> StorageGeneration?

    /// Identifies the stored list of deleted keys; nil if there is none, or that fails.
    func deletedKeysGeneration() -> StorageGeneration?
}

/// Held during passcode operations.
package protocol StorageLock: Sendable {
    func release()
}

/// An identifier of one version of a stored file.
package struct StorageGeneration: Sendable, Hashable {
    package let inode: UInt64
    package let byteCount: Int64
    package let changedAt: [Int]

    package init(inode: UInt64, byteCount: Int64, changedAt: [Int]) {
        self.inode = inode
        self.byteCount = byteCount
        self.changedAt = changedAt
    }
}
