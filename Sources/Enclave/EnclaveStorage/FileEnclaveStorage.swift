package import LatchkeyCryptoSuite
package import LatchkeyEnclaveCore
package import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading

/// The root of trust in files of one directory (`Docs/Formats/enclave-storage.md`).
///
/// Reported as "software": a program that can read the files as their owner, or as root, also has the UID.
package final class FileEnclaveStorage: EnclaveStorage {
    private let directory: PrivateDirectory
    private let entropy: any Entropy
    private let attemptsFile: CheckedFile
    private let effaceableFile: CheckedFile
    private let enrolmentFile: CheckedFile
    private let deletedKeysFile: CheckedFile
    /// The key that last opened or encrypted the keybag on disk.
    private let keybagKey = ForkMutex<SecretBox?>(nil)
    private let testOnlyBetweenLooks: (@Sendable () -> Void)?

    package let rootOfTrust = "software"
    package let hardwareKey: HardwareKey
    package let boot: [UInt8]

    /// Opens the directory or makes it; its parent must exist. Makes the UID of a new device.
    /// - Parameters:
    ///   - testOnlyAtPoint: called at every write point.
    ///   - testOnlyBetweenLooks: called between reading the keybag's key and the keybag.
    package init(
        directory path: String, entropy: any Entropy = SystemEntropy(), testOnlyAtPoint: CrashPointHook? = nil,
        testOnlyBetweenLooks: (@Sendable () -> Void)? = nil
    ) throws(StorageFailure) {
        self.testOnlyBetweenLooks = testOnlyBetweenLooks
        directory = try PrivateDirectory(path: path, testOnlyAtPoint: testOnlyAtPoint)
        self.entropy = entropy
        boot = bootIdentifier(entropy: entropy)
        let lock = try directory.lock()
        defer { lock.release() }
        hardwareKey = try Self.uid(in: directory, entropy: entropy)
        attemptsFile = CheckedFile(magic: "LKAT", key: hardwareKey.derived(label: "attempts file"))
        effaceableFile = CheckedFile(magic: "LKEF", key: hardwareKey.derived(label: "effaceable file"))
        enrolmentFile = CheckedFile(magic: "LKEN", key: hardwareKey.derived(label: "enrolment file"))
        deletedKeysFile = CheckedFile(magic: "LKDK", key: hardwareKey.derived(label: "deleted keys file"))
    }

    package func acquire() throws(StorageFailure) -> any StorageLock {
        try directory.lock()
    }

    package func keybag() throws(StorageFailure) -> [UInt8]? {
        // Another process may replace the keybag and its key between the two reads. A process that missed the change
        // would reply from a keybag that is no longer stored.
        var triesLeft = 8
        while true {
            let before = directory.generation(of: .effaceable)
            do throws(StorageFailure) {
                return try keybagOfOneLook()
            } catch {
                guard triesLeft > 0, directory.generation(of: .effaceable) != before else { throw error }
                triesLeft -= 1
            }
        }
    }

    private func keybagOfOneLook() throws(StorageFailure) -> [UInt8]? {
        let path = directory.path(of: .keybag)
        guard let record = try effaceable() else {
            guard try directory.read(.keybag) == nil else {
                throw .missing(path: directory.path(of: .effaceable))
            }
            return nil
        }
        testOnlyBetweenLooks?()
        guard let bytes = try directory.read(.keybag) else {
            if record.isStartingOver { return nil }
            throw .missing(path: path)
        }
        do throws(StorageFailure) {
            try CheckedFile.checkHeader(of: bytes, magic: Self.keybagMagic, path: path)
            for key in record.keys {
                guard let keybag = opened(bytes, with: key) else { continue }
                keybagKey.withLock { $0 = key }
                // Starting over ends with a counter and exactly one key. If it was interrupted, it is repeated.
                return record.isStartingOver ? nil : keybag
            }
            throw .damaged(path: path, what: "it opens with none of the keys in \(directory.path(of: .effaceable))")
        } catch {
            if record.isStartingOver { return nil }
            throw error
        }
    }

    package func replaceKeybag(_ bytes: [UInt8]) throws(StorageFailure) {
        guard let former = keybagKey.withLock({ $0 }) else {
            throw .missing(path: directory.path(of: .keybag))
        }
        let next = newKey()
        try write(EffaceableRecord(keys: [former, next], isStartingOver: false))
        try directory.replace(.keybag, with: sealed(bytes, with: next))
        keybagKey.withLock { $0 = next }
        // Until here both keys decrypt the keybag; from now on the former keybag and every copy of it are useless.
        try write(EffaceableRecord(keys: [next], isStartingOver: false))
    }

    package func startOver(with keybag: [UInt8]) throws(StorageFailure) {
        let next = newKey()
        // The point of no return: the former key is deleted.
        try write(EffaceableRecord(keys: [next], isStartingOver: true))
        try directory.replace(.keybag, with: sealed(keybag, with: next))
        try replaceAttempts(.none(boot: boot))
        try directory.remove(.enrolment)
        try directory.remove(.deletedKeys)
        keybagKey.withLock { $0 = next }
        try write(EffaceableRecord(keys: [next], isStartingOver: false))
    }

    package func attempts() throws(StorageFailure) -> AttemptRecord {
        let path = directory.path(of: .attempts)
        guard let bytes = try directory.read(.attempts) else { throw .missing(path: path) }
        guard let record = AttemptRecord(content: try attemptsFile.content(of: bytes, path: path)) else {
            throw .damaged(path: path, what: "its content has the wrong length")
        }
        return record
    }

    package func replaceAttempts(_ record: AttemptRecord) throws(StorageFailure) {
        try directory.replace(.attempts, with: attemptsFile.bytes(content: record.content))
    }

    package func enrolment() throws(StorageFailure) -> EnrolmentRecord? {
        try dispensable(
            .enrolment, enrolmentFile, isNot: "not an enrolment record",
            loss: "items that are bound to the fingers enrolled now are then lost, all others stay",
            EnrolmentRecord.init(content:))
    }

    package func replaceEnrolment(_ record: EnrolmentRecord) throws(StorageFailure) {
        try directory.replace(.enrolment, with: enrolmentFile.bytes(content: record.content))
    }

    package func deletedKeys() throws(StorageFailure) -> DeletedKeys {
        let found = try dispensable(
            .deletedKeys, deletedKeysFile, isNot: "not a list of deleted keys",
            loss: "a deleted key works again for programs that kept its blob, everything else stays",
            DeletedKeys.init(content:))
        return found ?? DeletedKeys()
    }

    package func replaceDeletedKeys(_ keys: DeletedKeys) throws(StorageFailure) {
        try directory.replace(.deletedKeys, with: deletedKeysFile.bytes(content: keys.content))
    }

    package func keybagGeneration() -> StorageGeneration? {
        directory.generation(of: .keybag)
    }

    package func attemptsGeneration() -> StorageGeneration? {
        directory.generation(of: .attempts)
    }

    package func deletedKeysGeneration() -> StorageGeneration? {
        directory.generation(of: .deletedKeys)
    }
}

extension FileEnclaveStorage {
    private static let keybagMagic = "LKKB"

    /// Reads a file that the device can work without; returns nil if it does not exist.
    private func dispensable<Record>(
        _ file: StorageFile, _ frame: CheckedFile, isNot kind: String, loss: String,
        _ record: (SecretBox) -> Record?
    ) throws(StorageFailure) -> Record? {
        let path = directory.path(of: file)
        do throws(StorageFailure) {
            guard let bytes = try directory.read(file) else { return nil }
            guard let found = record(try frame.content(of: bytes, path: path)) else {
                throw .damaged(path: path, what: "its content is \(kind)")
            }
            return found
        } catch .damaged(let path, let what) {
            throw .damagedButDispensable(path: path, what: what, loss: loss)
        } catch {
            throw error
        }
    }

    private func newKey() -> SecretBox {
        unsafe SecretBox(count: EffaceableRecord.keyByteCount) { unsafe entropy.fill($0) }
    }

    private func effaceable() throws(StorageFailure) -> EffaceableRecord? {
        let path = directory.path(of: .effaceable)
        guard let bytes = try directory.read(.effaceable) else { return nil }
        guard let record = EffaceableRecord(content: try effaceableFile.content(of: bytes, path: path)) else {
            throw .damaged(path: path, what: "its content has the wrong length")
        }
        return record
    }

    private func write(_ record: EffaceableRecord) throws(StorageFailure) {
        let bytes = effaceableFile.bytes(content: record.content)
        try directory.replace(.effaceable, with: bytes, overwritingFormer: true)
    }

    private func sealed(_ keybag: [UInt8], with key: SecretBox) -> SecretBox {
        let header = CheckedFile.header(magic: Self.keybagMagic)
        let sealed = unsafe keybag.withUnsafeBytes {
            unsafe AESGCM.seal($0, key: key, associatedData: header, entropy: entropy)
        }
        return SecretBox(copying: header + sealed)
    }

    /// Decrypts the keybag. Its keys are wrapped, so it is not secret itself.
    private func opened(_ file: SecretBox, with key: SecretBox) -> [UInt8]? {
        let header = CheckedFile.header(magic: Self.keybagMagic)
        let sealed = unsafe file.withBytes { unsafe Array($0.dropFirst(header.count)) }
        let keybag = try? AESGCM.open(sealed, key: key, associatedData: header)
        return unsafe keybag?.withBytes { unsafe Array($0) }
    }

    private static func uid(
        in directory: PrivateDirectory, entropy: any Entropy
    ) throws(StorageFailure) -> HardwareKey {
        let path = directory.path(of: .uid)
        let file = CheckedFile(magic: "LKID", key: nil)
        if let bytes = try directory.read(.uid) {
            let uid = try file.content(of: bytes, path: path)
            guard uid.count == HardwareKey.byteCount else {
                throw .damaged(path: path, what: "its content has the wrong length")
            }
            return HardwareKey(uid: uid)
        }
        let others: [StorageFile] = [.effaceable, .keybag, .attempts, .enrolment, .deletedKeys]
        guard others.allSatisfy({ directory.generation(of: $0) == nil }) else { throw .missing(path: path) }
        let uid = unsafe SecretBox(count: HardwareKey.byteCount) { unsafe entropy.fill($0) }
        try directory.replace(.uid, with: file.bytes(content: uid))
        return HardwareKey(uid: uid)
    }
}
