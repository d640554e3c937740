import Glibc
import LatchkeyCryptoSuite
package import LatchkeyFileAccess
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// A folder that holds a backup of one device, as it was when it was opened.
///
/// If a run has not finished the moves of its new backup, what lies in `Snapshot` belongs to the backup already: it is read
/// first.
package final class BackupFolder: Sendable {
    package let path: String
    let directory: OpenDirectory
    private let snapshot: OpenDirectory?
    /// Keeps runs from moving another backup to this place; nil for a look at the lists, and where there are no locks.
    private let hold: ContentLock.Hold?

    /// Opens a folder for a look at its lists: a run may move another backup to its place meanwhile.
    ///
    /// - Parameter path: of the folder itself.
    package convenience init(_ path: String) throws(BackupFailure) {
        let directory = try Self.carrying(path) { () throws(AccessFailure) in try OpenDirectory(opening: path) }
        try self.init(path, directory, nil)
    }

    private init(_ path: String, _ directory: OpenDirectory, _ hold: ContentLock.Hold?) throws(BackupFailure) {
        self.path = path
        self.directory = directory
        self.hold = hold
        snapshot = try Self.carrying(path) { () throws(AccessFailure) in try SnapshotState(in: directory).counting }
    }

    /// The same folder for reading all of it: for as long as it is open, runs move nothing.
    func held(_ patience: LockPatience) throws(BackupFailure) -> BackupFolder {
        switch ContentLock.share(directory, patience) {
        case .held(let hold): try BackupFolder(path, directory, hold)
        case .absent: try BackupFolder(path, directory, nil)
        case .busy: throw .beingMoved(path: path)
        }
    }

    /// The manifest of the backup that is in this place now. Nothing but this one can be while the lock is held.
    func currentManifest() throws(BackupFailure) -> [UInt8] {
        let current = hold == nil ? try BackupFolder(path, directory, nil) : self
        return try current.bytes(of: BackupNames.manifest)
    }

    private static func carrying<Value>(
        _ path: String, _ body: () throws(AccessFailure) -> Value
    ) throws(BackupFailure) -> Value {
        do throws(AccessFailure) {
            return try body()
        } catch {
            throw .system(path: path, errno: error.number)
        }
    }

    /// The folder of the one backup at a path: that folder, or one in it.
    package static func find(_ path: String) throws(BackupFailure) -> BackupFolder {
        let folder = try BackupFolder(path)
        if try folder.has(BackupNames.manifest) { return folder }
        let names: [FileName]
        do throws(AccessFailure) {
            names = try folder.directory.names()
        } catch {
            throw .system(path: path, errno: error.number)
        }
        var found: [FileName] = []
        var obstacle: BackupFailure?
        for name in names where folder.isDirectory(name) {
            do throws(BackupFailure) {
                // Its manifest may still be in a snapshot that is whole.
                if try BackupFolder(FilePath.entry(name.text, of: path)).has(BackupNames.manifest) {
                    found.append(name)
                }
            } catch {
                obstacle = obstacle ?? error
            }
        }
        guard let first = found.first else { throw obstacle ?? .notABackup(path: path) }
        guard found.count == 1 else { throw .severalBackups(found.map(\.text)) }
        return try BackupFolder(FilePath.entry(first.text, of: path))
    }

    /// Returns false if the file is missing. One that cannot be looked for is not.
    package func has(_ name: String) throws(BackupFailure) -> Bool {
        do throws(BackupFailure) {
            _ = try open(name)
            return true
        } catch .missing {
            return false
        }
    }

    /// Links are followed by none of the calls that come after.
    private func isDirectory(_ name: FileName) -> Bool {
        guard let status = try? directory.status(of: name) else { return false }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    /// Reads a list or another small file of the backup.
    package func bytes(of name: String, limit: Int = 64 << 20) throws(BackupFailure) -> [UInt8] {
        let file = try open(name)
        do throws(AccessFailure) {
            let size = try file.status().st_size
            guard size <= limit else { throw AccessFailure.system(call: "read", errno: EFBIG) }
            var outcome: Result<Int, AccessFailure> = .success(0)
            let bytes = unsafe [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
                outcome = Result { () throws(AccessFailure) in
                    try unsafe file.read(
                        at: 0,
                        into: UnsafeMutableRawBufferPointer(
                            rebasing: UnsafeMutableRawBufferPointer(buffer)[..<Int(size)]))
                }
                count = (try? outcome.get()) ?? 0
            }
            _ = try outcome.get()
            return bytes
        } catch {
            if error.number == EFBIG { throw .beyondLimits(name) }
            throw .system(path: path + "/" + name, errno: error.number)
        }
    }

    package func manifest() throws(BackupFailure) -> BackupManifest {
        try BackupManifest(bytes(of: BackupNames.manifest))
    }

    package func info() throws(BackupFailure) -> BackupInfo { try BackupInfo(bytes(of: BackupNames.info)) }
    package func status() throws(BackupFailure) -> BackupStatus { try BackupStatus(bytes(of: BackupNames.status)) }

    /// The stored payload of a file.
    package func payload(_ id: FileID) throws(BackupFailure) -> OwnedDescriptor {
        do throws(BackupFailure) {
            return try open(id.folder + "/" + id.description)
        } catch .missing {
            throw .payloadMissing(id)
        }
    }

    /// The numbers of all payloads that are stored.
    package func storedPayloads() -> Set<FileID> {
        var found: Set<FileID> = []
        for part in [directory, snapshot].compactMap({ $0 }) {
            for name in (try? part.names()) ?? [] where name.bytes.count == 2 {
                guard let inner = try? part.directory(name) else { continue }
                for entry in (try? inner.names()) ?? [] {
                    guard entry.bytes.starts(with: name.bytes), let id = FileID(digits: Array(entry.bytes)) else {
                        continue
                    }
                    found.insert(id)
                }
            }
        }
        return found
    }

    private static let missing: Set<Int32> = [ENOENT, ENOTDIR, ELOOP, EINVAL]

    private func open(_ relative: String) throws(BackupFailure) -> OwnedDescriptor {
        for part in [snapshot, directory] {
            guard let part else { continue }
            do throws(AccessFailure) {
                var inner = part
                let names = FileName.parts(of: relative)
                for name in names.dropLast() { inner = try inner.directory(name) }
                return try inner.file(names[names.count - 1])
            } catch {
                guard Self.missing.contains(error.number) else {
                    throw .system(path: path + "/" + relative, errno: error.number)
                }
            }
        }
        throw .missing(relative)
    }
}

/// A backup whose keys are there.
///
/// While it is open, no run moves another one to its place; where there are no locks, ``reading(_:)`` notices that.
package final class OpenedBackup {
    package let folder: BackupFolder
    package let manifest: BackupManifest
    package let keys: BackupKeys
    package let index: BackupIndex
    private let manifestBytes: [UInt8]

    /// Opens a backup to read it.
    ///
    /// - Parameters:
    ///   - manifest: as it was read before, when the keys were made.
    ///   - keys: opens the keys of files; of a backup that is not encrypted, those of its items.
    package convenience init(
        _ folder: BackupFolder, _ manifest: BackupManifest, keys: BackupKeys,
        patience: LockPatience = .upTo()
    ) throws(BackupFailure) {
        let held = try folder.held(patience)
        let bytes = try held.bytes(of: BackupNames.manifest)
        let current = try BackupManifest(bytes)
        guard current.keybag == manifest.keybag, current.isEncrypted == manifest.isEncrypted else {
            throw .changedMeanwhile
        }
        do throws(BackupFailure) {
            try self.init(held, current, bytes, keys)
        } catch {
            if (try? held.currentManifest()) != bytes { throw .changedMeanwhile }
            throw error
        }
    }

    /// Opens the backup that the next one goes on from: its run holds the lock of runs, so that no other moves anything.
    ///
    /// - Parameter keys: opens the keys of files.
    package convenience init(former folder: BackupFolder, keys: BackupKeys) throws(BackupFailure) {
        let bytes = try folder.bytes(of: BackupNames.manifest)
        try self.init(folder, BackupManifest(bytes), bytes, keys)
    }

    private init(
        _ folder: BackupFolder, _ manifest: BackupManifest, _ manifestBytes: [UInt8], _ keys: BackupKeys
    ) throws(BackupFailure) {
        self.folder = folder
        self.manifest = manifest
        self.manifestBytes = manifestBytes
        self.keys = keys
        let stored = try folder.bytes(of: BackupNames.index, limit: 2 << 30)
        guard manifest.isEncrypted else {
            index = try BackupIndex(stored)
            return
        }
        guard let wrapped = manifest.indexKey else { throw .damaged(BackupNames.manifest) }
        index = try BackupIndex(IndexCipher.opened(stored, key: keys.open(wrapped)))
    }

    /// Opens a backup in this process, and returns the key of its password, too. Blocks while the password is stretched.
    ///
    /// A backup without a password has a new keybag each time: if another one takes its place meanwhile, that one is opened.
    ///
    /// - Parameter password: empty for a backup that is not encrypted.
    package static func opened(
        _ folder: BackupFolder, password: SecretBox, patience: LockPatience = .upTo()
    ) throws(BackupFailure) -> (backup: OpenedBackup, passwordKey: SecretBox) {
        for _ in 1..<openingAttempts {
            do throws(BackupFailure) {
                return try openedOnce(BackupFolder(folder.path), password, patience)
            } catch .changedMeanwhile {}
        }
        return try openedOnce(BackupFolder(folder.path), password, patience)
    }

    private static let openingAttempts = 4

    private static func openedOnce(
        _ folder: BackupFolder, _ password: SecretBox, _ patience: LockPatience
    ) throws(BackupFailure) -> (backup: OpenedBackup, passwordKey: SecretBox) {
        let manifest = try folder.manifest()
        let keybag = try keybag(of: manifest)
        let key: SecretBox
        do throws(KeybagUnlockFailure) {
            key = try BackupKeybag.passcodeKey(for: password, header: keybag.header)
        } catch {
            throw .keybag(error)
        }
        let keys = try BackupKeys(keybag, passcodeKey: key)
        return (try OpenedBackup(folder, manifest, keys: keys, patience: patience), key)
    }

    /// Reads from the backup.
    ///
    /// - Throws: ``BackupFailure/changedMeanwhile`` in place of any result if another backup has taken its place by the end.
    package func reading<Value>(_ body: () throws -> Value) throws -> Value {
        let outcome = Result { try body() }
        try checkUnchanged()
        return try outcome.get()
    }

    /// - Throws: ``BackupFailure/changedMeanwhile`` if another backup has taken its place since it was opened.
    package func checkUnchanged() throws(BackupFailure) {
        guard try folder.currentManifest() == manifestBytes else { throw .changedMeanwhile }
    }

    package static func keybag(of manifest: BackupManifest) throws(BackupFailure) -> Keybag {
        do {
            return try Keybag(parsing: manifest.keybag)
        } catch {
            throw .damaged(BackupNames.manifest)
        }
    }

    /// Opens the content of a file.
    package func content(of record: FileRecord) throws(BackupFailure) -> PayloadReader {
        let id = record.fileID
        return try PayloadReader(folder.payload(id), of: id, key: key(of: record))
    }

    /// The key of a file; nil in a backup that is not encrypted.
    package func key(of record: FileRecord) throws(BackupFailure) -> SecretBox? {
        guard manifest.isEncrypted else { return nil }
        guard let wrapped = record.wrappedKey else {
            throw .badRecord(domain: record.domain.name, path: record.path, .key)
        }
        return try keys.open(WrappedBackupKey(classNumber: record.protectionClass, bytes: wrapped))
    }

    /// The keychain's part, if it is under the keybag of this backup; nil if the backup has none.
    package func items() throws(BackupFailure) -> KeychainBackupReader? {
        guard let list = try keychain() else { return nil }
        if let keybag = list.keybag, keybag != (try Self.keybag(of: manifest)).header.uuid {
            throw .damaged(BackupNames.keychainFile)
        }
        return list
    }

    /// The keychain's part; nil if the backup has none.
    package func keychain() throws(BackupFailure) -> KeychainBackupReader? {
        guard let record = try index.record(.keychain) else { return nil }
        return try KeychainBackupReader(content(of: record))
    }
}

/// The index of an encrypted backup as it is stored.
enum IndexCipher {
    static func opened(_ stored: consuming [UInt8], key: SecretBox) throws(BackupFailure) -> [UInt8] {
        guard !stored.isEmpty, stored.count % 16 == 0 else { throw .damaged(BackupNames.index) }
        var bytes = stored
        let cipher = RunningCBC(key: key, encrypting: false)
        unsafe bytes.withUnsafeMutableBytes { unsafe cipher.run(UnsafeRawBufferPointer($0), into: $0) }
        // The size is a multiple of a page, so that some tools write no padding.
        let padding = unsafe bytes.suffix(16).withUnsafeBytes { unsafe RunningCBC.padding(of: $0) }
        guard let padding else { return bytes }
        bytes.removeLast(padding)
        return bytes
    }

    static func sealed(_ bytes: consuming [UInt8], key: SecretBox) -> [UInt8] {
        let cipher = RunningCBC(key: key, encrypting: true)
        let whole = bytes.count - bytes.count % 16
        let rest = Array(bytes[whole...])
        // The index is large: it is encrypted where it lies.
        var sealed = bytes
        sealed.removeLast(rest.count)
        unsafe sealed.withUnsafeMutableBytes { buffer in
            unsafe cipher.run(UnsafeRawBufferPointer(buffer), into: buffer)
        }
        sealed += unsafe rest.withUnsafeBytes { unsafe cipher.finish($0) }
        return sealed
    }
}
