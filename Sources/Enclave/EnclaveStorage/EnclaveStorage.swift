package import LatchkeyEnclaveCore
package import LatchkeyKeybag

/// The root of trust of a device: keeps its UID, its keybag and its attempt counter.
///
/// Writes are durable when they return and leave either the old state or the new one, wherever they are cut off.
/// The keybag is encrypted under a key that the storage can forget.
package protocol EnclaveStorage: Sendable {
    /// What it is, for people: "software" for files.
    var rootOfTrust: String { get }

    /// The device's UID and what derives from it.
    var hardwareKey: HardwareKey { get }

    /// The present run of the machine; changes with every boot.
    var boot: [UInt8] { get }

    /// Holds off the passcode operations of other processes until it is released. Blocks.
    func acquire() throws(StorageFailure) -> any StorageLock

    /// The keybag; nil on a new device, and where making or erasing one was cut off.
    func keybag() throws(StorageFailure) -> [UInt8]?

    /// Replaces the keybag and forgets the key that encrypted the one before.
    func replaceKeybag(_ bytes: [UInt8]) throws(StorageFailure)

    /// Forgets everything that came before and begins with this keybag, no failed attempts, no remembered fingers and
    /// no deleted keys.
    func startOver(with keybag: [UInt8]) throws(StorageFailure)

    func attempts() throws(StorageFailure) -> AttemptRecord

    func replaceAttempts(_ record: AttemptRecord) throws(StorageFailure)

    /// What is remembered of enrolled fingers; nil if nobody asked for them yet.
    func enrolment() throws(StorageFailure) -> EnrolmentRecord?

    func replaceEnrolment(_ record: EnrolmentRecord) throws(StorageFailure)

    /// The deleted keys of the enclave.
    func deletedKeys() throws(StorageFailure) -> DeletedKeys

    func replaceDeletedKeys(_ keys: DeletedKeys) throws(StorageFailure)

    /// Which keybag is stored, cheap enough to ask at every message; nil if it cannot be told.
    func keybagGeneration() -> StorageGeneration?

    /// Which attempt record is stored.
    func attemptsGeneration() -> StorageGeneration?

    /// Which list of deleted keys is stored; nil if there is none, or it cannot be told.
    func deletedKeysGeneration() -> StorageGeneration?
}

/// Held during passcode operations.
package protocol StorageLock: Sendable {
    func release()
}

/// Tells one version of a stored file from another.
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
