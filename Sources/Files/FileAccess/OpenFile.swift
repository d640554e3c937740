package import Glibc
import LatchkeyCryptoSuite
package import LatchkeyFileFormat
package import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import LatchkeyThreading

/// A protected file that this process has open. All handles of the process on one file share it.
///
/// It follows the lock of the device: a file of class "complete" loses its key when the device has locked, and every
/// operation then fails until the device is unlocked, which needs no new opening. Safe to call from many threads: one
/// operation runs at a time.
package final class OpenFile: @unchecked Sendable {
    // Sendable because every variable is used under the lock of `content` alone.
    /// Lives as long as its files.
    private let vault: FileVault
    package let identity: FileIdentity
    /// The part that follows the device. The vault holds it, and not the file itself.
    let content: FollowedContent
    private var descriptor: OwnedDescriptor
    private var access: ProtectedFile.Access
    private var followsDevice = false
    /// True if this process could not take its lock for reading back.
    private var isLockLost = false

    /// Opens a protected file whose descriptor is locked for this access.
    init(
        _ descriptor: OwnedDescriptor, _ identity: FileIdentity, _ access: ProtectedFile.Access, in vault: FileVault
    ) throws(AccessFailure) {
        self.vault = vault
        self.identity = identity
        self.descriptor = descriptor
        self.access = access
        let (file, protection) = try Self.open(descriptor, access, vault.keys)
        content = FollowedContent(file, protection)
    }

    /// Makes a protected file in a file that is empty, whose descriptor is locked for writing.
    ///
    /// - Parameter tie: the database that it belongs to, if any.
    init(
        making key: NewFileKey, in descriptor: OwnedDescriptor, _ identity: FileIdentity, tie: FileTie? = nil,
        in vault: FileVault
    ) throws(AccessFailure) {
        self.vault = vault
        self.identity = identity
        self.descriptor = descriptor
        access = .readWrite
        do throws(FileFailure) {
            let file = try ProtectedFile.create(
                key.unwritten(tie: tie), in: DescriptorBacking(descriptor: descriptor.number))
            content = FollowedContent(file, key.protection)
        } catch {
            throw .file(error)
        }
    }

    /// Opens a file that no other handle of the process shares.
    convenience init(
        _ descriptor: OwnedDescriptor, _ access: ProtectedFile.Access, in vault: FileVault
    ) throws(AccessFailure) {
        try self.init(descriptor, try descriptor.identity(), access, in: vault)
    }

    deinit {
        guard content.isOfThisProcess else { return }
        content.close()
        // Children that have the file open must not keep its lock.
        descriptor.unlock()
        vault.forgetClosed(identity)
    }

    /// Lets the file follow the lock of the device while it is open: for a handle that stays open.
    package func followDevice() {
        guard content.isOfThisProcess else { return }
        content.withLock { followsDevice = true }
        vault.beginWatching()
    }

    /// Says that the file is a log (``ProtectedFile/isLog``).
    package func becomeLog() {
        content.withLock { content.isLog = true }
    }

    package var protection: FileProtection { content.withLock { content.protection } }

    /// True if a handle stays open on the file.
    package var isFollowingDevice: Bool { content.withLock { followsDevice } }

    /// The file's path at present, for people; nil if the system does not say.
    package var path: String? { content.withLock { descriptor.path } }

    /// The number of times that written content was lost before it was on disk: the file then is as it was before.
    ///
    /// One caller is told by an error. A handle that has written, and finds another number than before it did, has lost
    /// something as well.
    package var lossCount: UInt64 { content.withLock { content.losses } }

    package func size() throws(AccessFailure) -> UInt64 {
        try perform(isReading: true) { file throws(FileFailure) in try file.size }
    }

    /// Reads up to the end of the file and returns the number of bytes; 0 at the end and beyond.
    package func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(AccessFailure) -> Int {
        try perform(isReading: true) { file throws(FileFailure) in try unsafe file.read(at: offset, into: bytes) }
    }

    /// Writes all bytes, beyond the end too. They are durable after ``synchronize()``.
    package func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        try perform { file throws(FileFailure) in
            content.hasChanges = true
            try unsafe file.write(at: offset, from: bytes)
        }
    }

    package func truncate(to length: UInt64) throws(AccessFailure) {
        try perform { file throws(FileFailure) in
            content.hasChanges = true
            try file.truncate(to: length)
        }
    }

    /// Writes everything out without waiting for the disk. Returns false if there was nothing to write.
    @discardableResult
    package func writeOut() throws(AccessFailure) -> Bool {
        try content.locked { () throws(AccessFailure) in
            try content.reportMissedFailure()
            guard content.hasChanges else { return false }
            let file = try usable()
            try lifted { () throws(FileFailure) in try file.flush() }
            content.hasChanges = false
            return true
        }
    }

    /// Makes the content durable.
    package func synchronize() throws(AccessFailure) {
        try perform { file throws(FileFailure) in
            try file.synchronize(.full)
            content.hasChanges = false
        }
    }

    /// Reads and verifies everything that is stored, with changes that were not synchronized.
    ///
    /// - Parameter proceed: is told the number of bytes that were read since the last time, and returns false to end.
    package func check(proceed: (Int) -> Bool = { _ in true }) throws(AccessFailure) -> FileCheck {
        try perform { file throws(FileFailure) in try file.check(proceed: proceed) }
    }

    /// The database that the file belongs to; nil if it belongs to none.
    package func tie() throws(AccessFailure) -> FileTie? {
        try perform(isReading: true) { file throws(FileFailure) in try file.tie }
    }

    /// The random bytes that name the file as long as it exists.
    package func identifier() throws(AccessFailure) -> [UInt8] {
        try perform(isReading: true) { file throws(FileFailure) in try file.identifier }
    }

    /// Stores another tie, and returns when it is durable. The content and its times stay.
    package func setTie(_ tie: FileTie?) throws(AccessFailure) {
        try content.locked { () throws(AccessFailure) in
            let file = try usable()
            guard try lifted({ () throws(FileFailure) in try file.tie }) != tie else { return }
            let status = content.hasChanges ? nil : try? descriptor.status()
            try lifted { () throws(FileFailure) in try file.setTie(tie) }
            if let status { descriptor.setTimes(of: status) }
            content.hasChanges = false
        }
    }

    /// Changes the class: the file's key is wrapped under another class key, and the content stays as it is.
    package func setProtection(_ new: FileProtection) throws(AccessFailure) {
        try content.locked { () throws(AccessFailure) in
            guard new != content.protection else { return }
            let file = try usable()
            let old = content.protection
            // A change of class alone leaves the content, and its times, as they are.
            let status = content.hasChanges ? nil : try? descriptor.status()
            let (wrapped, identifier) = try lifted { () throws(FileFailure) in
                (try file.wrappedKey, try file.identifier)
            }
            let rewrapped = try vault.keys.rewrap(wrapped, from: old, to: new, for: identifier)
            try lifted { () throws(FileFailure) in
                try file.changeProtection(to: new.keyClass.rawValue, wrappedKey: rewrapped)
            }
            if let status { descriptor.setTimes(of: status) }
            content.protection = new
            content.hasChanges = false
            if followsDevice { vault.beginWatching() }
        }
    }

    /// Gives the file owner, group, access control list and permissions of another one. Refused if the system does not
    /// give it away.
    func takeOverRights(of former: stat, under path: String) throws(AccessFailure) {
        try content.locked { () throws(AccessFailure) in try descriptor.takeOverRights(of: former, under: path) }
    }

    package func status() throws(AccessFailure) -> stat {
        try content.locked { () throws(AccessFailure) in try descriptor.status() }
    }

    /// Gives the file the permissions of another one, whatever the process's mask is, and its owner as far as the system
    /// allows it: only root can give files away.
    package func takeOverPermissions(of other: stat) {
        content.withLock {
            if geteuid() == 0 { _ = fchown(descriptor.number, other.st_uid, other.st_gid) }
            _ = fchmod(descriptor.number, other.st_mode & 0o777)
        }
    }

    /// Takes the file for writing, too.
    func allowWriting(_ writable: OwnedDescriptor) throws(AccessFailure) {
        try content.locked { () throws(AccessFailure) in
            guard access == .readOnly else { return }
            // Refused here, the handles that read keep what they have.
            try Self.open(descriptor, .readOnly, vault.keys).0.close()
            // This process's own lock for reading would be in the way.
            descriptor.unlock()
            isLockLost = true
            do throws(AccessFailure) {
                try writable.lock(alone: true)
            } catch {
                // Another process may have written meanwhile: the file is opened again, under a lock.
                content.file?.close()
                content.file = nil
                throw error
            }
            isLockLost = false
            content.file?.close()
            content.file = nil
            descriptor = writable
            access = .readWrite
        }
    }

    private func perform<Value: Sendable>(
        isReading: Bool = false, _ body: (ProtectedFile) throws(FileFailure) -> Value
    ) throws(AccessFailure) -> Value {
        try content.locked { () throws(AccessFailure) in
            let file = try usable(isReading: isReading)
            return try lifted { () throws(FileFailure) in try body(file) }
        }
    }

    private func lifted<Value: Sendable>(_ body: () throws(FileFailure) -> Value) throws(AccessFailure) -> Value {
        do throws(FileFailure) {
            return try body()
        } catch {
            if error == .unsettled { content.abandon() }
            throw .file(error)
        }
    }

    /// - Parameter isReading: a failure to write out before is reported to the next caller that writes or synchronizes.
    private func usable(isReading: Bool = false) throws(AccessFailure) -> ProtectedFile {
        if !isReading { try content.reportMissedFailure() }
        if isLockLost {
            try descriptor.lock(alone: false)
            isLockLost = false
        }
        if let file = content.file { return file }
        // A watch ends when the daemon does; the device that answers again is watched again.
        if followsDevice { vault.beginWatching() }
        let (file, protection) = try reopened()
        content.file = file
        content.protection = protection
        content.hasChanges = false
        return file
    }

    private func reopened() throws(AccessFailure) -> (ProtectedFile, FileProtection) {
        do throws(AccessFailure) {
            return try Self.open(descriptor, access, vault.keys)
        } catch {
            if followsDevice, case .refused(let refusal) = error {
                vault.listener?.refusedUse(ofOpenFileAt: descriptor.path, content.protection, refusal)
            }
            throw error
        }
    }

    /// Opens the file under the first header whose key the device gives out: there are two of different classes only if a
    /// change of class was cut off.
    private static func open(
        _ descriptor: OwnedDescriptor, _ access: ProtectedFile.Access, _ keys: DeviceKeys
    ) throws(AccessFailure) -> (ProtectedFile, FileProtection) {
        let backing = DescriptorBacking(descriptor: descriptor.number)
        var failure = AccessFailure.notProtected
        for envelope in try FileEnvelope.readable(in: backing) {
            guard let protection = FileProtection(keyClassNumber: envelope.protectionClass) else {
                failure = .unknownClass(envelope.protectionClass)
                continue
            }
            do throws(AccessFailure) {
                let key = try keys.open(envelope.wrappedKey, of: protection, for: envelope.identifier)
                do throws(FileFailure) {
                    let file = try ProtectedFile.open(backing, fileKey: key, access: access)
                    // The header that was opened counts: it may be the other one.
                    let own = try FileProtection(keyClassNumber: file.protectionClass) ?? protection
                    return (file, own)
                } catch {
                    throw .file(error)
                }
            } catch {
                failure = error
            }
        }
        throw failure
    }
}

extension FileEnvelope {
    /// The envelopes in a file; throws ``AccessFailure/notProtected`` for a file of another kind.
    package static func readable(in backing: any Backing) throws(AccessFailure) -> [FileEnvelope] {
        do throws(FileFailure) {
            return try read(from: backing)
        } catch .notProtectedFile {
            // Both header copies are damaged: not a file in clear, whose bytes could be handed out or protected.
            throw FileEnvelope.isMarked(backing) ? .file(.notAuthentic) : .notProtected
        } catch {
            throw .file(error)
        }
    }
}

extension FileProtection {
    /// The class of this number in a keybag; nil for one that no file can have.
    package init?(keyClassNumber: UInt8) {
        guard let protection = KeyClass(rawValue: keyClassNumber)?.fileProtection else { return nil }
        self = protection
    }
}
