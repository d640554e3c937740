package import LatchkeyCryptoSuite
package import LatchkeySecretMemory

/// The class keys of a backup, which are not the device's: they are made for the backup alone.
///
/// Those of ThisDeviceOnly classes have an inner layer of the device that the backup is of. That layer has no check value, by
/// the format: whether a class key is of this device shows when a key under it opens.
package struct BackupClassKeys: Sendable {
    /// The identifier of the keybag, 16 bytes.
    package let keybag: [UInt8]
    /// By class number, 1 to 11.
    package let keys: [UInt8: SecretBox]

    package init(keybag: [UInt8], keys: [UInt8: SecretBox]) {
        self.keybag = keybag
        self.keys = keys
    }

    /// The classes that a keybag of a backup has: those of files, the recovery class, and those of items but "when passcode
    /// set".
    package static let classNumbers: [UInt8] = Array(1...11)
    private static let recoveryClass: UInt8 = 5
    private static let portableItemClasses: ClosedRange<UInt8> = 6...8

    /// Makes the class keys of a new backup, and the keybag that holds them.
    ///
    /// - Parameters:
    ///   - passcodeKey: of the backup's password, the empty one for a backup that is not encrypted.
    ///   - isEncrypted: without it every item is bound to this device.
    package static func made(
        _ parameters: BackupPasswordParameters, passcodeKey: SecretBox, isEncrypted: Bool, on hardwareKey: HardwareKey,
        entropy: any Entropy
    ) -> (keybag: Keybag, keys: BackupClassKeys) {
        let uuid = entropy.bytes(16)
        var keys: [UInt8: SecretBox] = [:]
        var wrapped: [WrappedClassKey] = []
        // Descending, as encrypted backups of devices have them.
        for number in classNumbers.reversed() {
            let key = unsafe SecretBox(count: 32) { unsafe entropy.fill($0) }
            keys[number] = key
            var wrapping: ClassKeyWrapping = .passcodeKey
            if isBound(number, isEncrypted: isEncrypted) { wrapping.insert(.deviceKey) }
            let inner = wrapping.contains(.deviceKey) ? hardwareKey.backupLayer.adding(to: key) : key
            let records = [
                KeybagRecord(.uuid, entropy.bytes(16)), KeybagRecord(.keyClass, UInt32(number)),
                KeybagRecord(.wrapping, wrapping.rawValue), KeybagRecord(.keyType, 0),
                KeybagRecord(.wrappedKey, AESKeyWrap.wrap(inner, with: passcodeKey)),
            ]
            do {
                wrapped.append(try WrappedClassKey(records: records))
            } catch {
                preconditionFailure("the records of a class key are within the limits: \(error)")
            }
        }
        let header = KeybagHeader(uuid: uuid, backup: parameters)
        return (Keybag(header: header, classKeys: wrapped), BackupClassKeys(keybag: uuid, keys: keys))
    }

    private static func isBound(_ number: UInt8, isEncrypted: Bool) -> Bool {
        number > portableItemClasses.upperBound || number == recoveryClass
            || (!isEncrypted && portableItemClasses.contains(number))
    }

    /// Opens the class keys of any backup. Classes that no release has are left out.
    package static func opened(
        _ keybag: Keybag, passcodeKey: SecretBox, on hardwareKey: HardwareKey
    ) throws(KeybagUnlockFailure) -> BackupClassKeys {
        var keys: [UInt8: SecretBox] = [:]
        for wrapped in keybag.classKeys where wrapped.wrapping.contains(.passcodeKey) {
            let key: SecretBox
            do { key = try AESKeyWrap.unwrap(wrapped.wrappedKey, with: passcodeKey) } catch { throw .wrongPasscode }
            let number = UInt8(wrapped.classNumber & 0xF)
            guard classNumbers.contains(number), key.count == 32 else { continue }
            keys[number] = wrapped.wrapping.contains(.deviceKey) ? hardwareKey.backupLayer.removed(from: key) : key
        }
        return BackupClassKeys(keybag: keybag.header.uuid, keys: keys)
    }
}

/// The layer of a device around a class key of a backup: AES-128-CBC with a vector of zeros and without padding, under a
/// key that never leaves the enclave. Apple's is the key 0x835.
struct BackupDeviceLayer: Sendable {
    let key: SecretBox

    func adding(to classKey: SecretBox) -> SecretBox { run(classKey, encrypting: true) }
    func removed(from layered: SecretBox) -> SecretBox { run(layered, encrypting: false) }

    private func run(_ input: SecretBox, encrypting: Bool) -> SecretBox {
        unsafe SecretBox(count: input.count) { output in
            unsafe input.withBytes { unsafe AES128.transform($0, into: output, key: key, encrypting: encrypting) }
        }
    }
}

extension HardwareKey {
    var backupLayer: BackupDeviceLayer {
        let derived = derived(label: "backup class keys")
        let key = unsafe derived.withBytes { unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: $0[..<16])) }
        return BackupDeviceLayer(key: key)
    }
}
