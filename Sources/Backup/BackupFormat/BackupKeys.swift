package import LatchkeyCryptoSuite
package import LatchkeyKeybag
package import LatchkeySecretMemory

/// A key of a file or an item, under the key of a class.
package struct WrappedBackupKey: Sendable, Hashable {
    package static let byteCount = 40

    /// The low four bits are the class.
    package let classNumber: Int
    package let bytes: [UInt8]

    package init(classNumber: Int, bytes: [UInt8]) {
        self.classNumber = classNumber
        self.bytes = bytes
    }
}

/// A new key of a file.
package struct NewBackupKey: Sendable {
    package let key: SecretBox
    package let wrapped: WrappedBackupKey

    package init(_ key: SecretBox, _ wrapped: WrappedBackupKey) {
        self.key = key
        self.wrapped = wrapped
    }
}

/// The class keys of a backup, which this process has by the password, or a device.
package struct BackupKeys: Sendable {
    package typealias Opening =
        @Sendable ([WrappedBackupKey]) throws(BackupFailure) -> [Result<SecretBox, BackupFailure>]
    package typealias Making = @Sendable ([Int]) throws(BackupFailure) -> [NewBackupKey]

    private let opening: Opening
    private let making: Making

    package init(open opening: @escaping Opening, make making: @escaping Making) {
        self.opening = opening
        self.making = making
    }

    /// Opens keys, each for itself.
    package func open(_ keys: [WrappedBackupKey]) throws(BackupFailure) -> [Result<SecretBox, BackupFailure>] {
        try opening(keys)
    }

    package func open(_ key: WrappedBackupKey) throws(BackupFailure) -> SecretBox {
        guard let opened = try opening([key]).first else { throw .keyNotAuthentic }
        return try opened.get()
    }

    /// Makes a new key for each class number.
    package func make(_ classNumbers: [Int]) throws(BackupFailure) -> [NewBackupKey] {
        try making(classNumbers)
    }
}

/// The class keys of a keybag that was opened with its password, in this process: for backups of others.
struct OpenedBackupKeybag: Sendable {
    private let keys: [UInt32: BackupKeybag.OpenedKey]
    private let entropy: any Entropy

    init(_ keybag: Keybag, passcodeKey: SecretBox, entropy: any Entropy) throws(BackupFailure) {
        do throws(KeybagUnlockFailure) {
            keys = try BackupKeybag.open(keybag, passcodeKey: passcodeKey)
        } catch .wrongPasscode {
            throw .wrongPassword
        } catch {
            throw .keybag(error)
        }
        self.entropy = entropy
    }

    func open(_ keys: [WrappedBackupKey]) throws(BackupFailure) -> [Result<SecretBox, BackupFailure>] {
        keys.map { wrapped in
            guard let classKey = classKey(wrapped.classNumber) else {
                return .failure(.keyMissing(classNumber: wrapped.classNumber))
            }
            guard wrapped.bytes.count == WrappedBackupKey.byteCount,
                let key = try? AESKeyWrap.unwrap(wrapped.bytes, with: classKey)
            else { return .failure(.keyNotAuthentic) }
            return .success(key)
        }
    }

    func make(_ classNumbers: [Int]) throws(BackupFailure) -> [NewBackupKey] {
        var made: [NewBackupKey] = []
        for number in classNumbers {
            guard let classKey = classKey(number) else { throw .keyMissing(classNumber: number) }
            let key = unsafe SecretBox(count: 32) { unsafe entropy.fill($0) }
            made.append(
                NewBackupKey(
                    key, WrappedBackupKey(classNumber: number, bytes: AESKeyWrap.wrap(key, with: classKey))))
        }
        return made
    }

    /// The higher bits of a class number are a generation of the key.
    private func classKey(_ number: Int) -> SecretBox? {
        let exact = UInt32(exactly: number).flatMap { keys[$0] }
        let found = exact ?? keys.first { $0.key & 0xF == UInt32(truncatingIfNeeded: number) & 0xF }?.value
        guard case .open(let key)? = found else { return nil }
        return key
    }
}

extension BackupKeys {
    /// Opens a keybag in this process with the key of its password.
    package init(
        _ keybag: Keybag, passcodeKey: SecretBox, entropy: any Entropy = SystemEntropy()
    ) throws(BackupFailure) {
        let opened = try OpenedBackupKeybag(keybag, passcodeKey: passcodeKey, entropy: entropy)
        self.init { keys throws(BackupFailure) in
            try opened.open(keys)
        } make: { numbers throws(BackupFailure) in
            try opened.make(numbers)
        }
    }
}
