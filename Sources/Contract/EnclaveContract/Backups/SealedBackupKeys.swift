package import LatchkeyKeybag

/// The class keys of a backup as only the enclave opens them: each wrapped under a class key of the device. The daemon keeps
/// and sends them; it cannot use them.
package struct SealedBackupKeys: Sendable, Hashable {
    package struct Key: Sendable, Hashable {
        /// 1 to 11: the class within the backup.
        package let classNumber: UInt8
        package let bytes: [UInt8]

        package init(classNumber: UInt8, bytes: [UInt8]) {
            self.classNumber = classNumber
            self.bytes = bytes
        }
    }

    /// The device's class under which the keys are wrapped: the items and files that they are for are read while the
    /// device is unlocked, too.
    package static let wrappingClass = KeyClass.whenUnlockedThisDeviceOnly
    package static let wrappedByteCount = 40
    package static let keyLimit = 16
    package static let keybagByteCount = 16

    /// The identifier of the backup's keybag.
    package let keybag: [UInt8]
    package let keys: [Key]

    package init(keybag: [UInt8], keys: [Key]) {
        self.keybag = keybag
        self.keys = keys
    }

    /// A key as the wrapping binds it: to the keybag and the class.
    package func wrapped(_ key: Key) -> WrappedKey {
        WrappedKey(
            keyClass: Self.wrappingClass, use: .backup, binding: keybag + [key.classNumber], bytes: key.bytes)
    }

    package subscript(classNumber: UInt8) -> WrappedKey? {
        keys.first { $0.classNumber == classNumber }.map { wrapped($0) }
    }
}

extension SealedBackupKeys {
    private static let version: UInt8 = 1

    /// As the daemon stores them (`Docs/Formats/backup.md`).
    package var encoded: [UInt8] {
        [Self.version] + keybag + [UInt8(keys.count)] + keys.flatMap { [$0.classNumber] + $0.bytes }
    }

    package init?(encoded bytes: [UInt8]) {
        let head = 2 + Self.keybagByteCount
        let entry = 1 + Self.wrappedByteCount
        guard bytes.count >= head, bytes[0] == Self.version, bytes.count == head + Int(bytes[head - 1]) * entry,
            Int(bytes[head - 1]) <= Self.keyLimit
        else { return nil }
        keybag = Array(bytes[1..<head - 1])
        keys = stride(from: head, to: bytes.count, by: entry).map { start in
            Key(classNumber: bytes[start], bytes: Array(bytes[start + 1..<start + entry]))
        }
    }
}

extension MessageWriter {
    mutating func backupKeys(_ keys: SealedBackupKeys) {
        bytes(keys.encoded)
    }
}

extension MessageReader {
    mutating func backupKeys() throws(EnclaveMessageFailure) -> SealedBackupKeys {
        let bytes = try bytes("backup keys", limit: 1024)
        guard let keys = SealedBackupKeys(encoded: bytes) else {
            throw .badValue(field: "backup keys", found: UInt64(bytes.count))
        }
        return keys
    }
}
