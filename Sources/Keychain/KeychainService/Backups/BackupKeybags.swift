import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The keybags of backups. The database keeps the one of encrypted backups, which the password opens, and the date of the
/// last backup.
struct BackupKeybags: Sendable {
    private static let keybagSetting = "backup-keybag"
    private static let keysSetting = "backup-keys"
    private static let lastSetting = "backup-made"

    let enclave: any EnclaveMailbox
    let store: ItemStore

    /// Returns what programs may know of the password and the last backup.
    func settings() throws(Setback) -> BackupSettings {
        let (stored, last) = try store.read { reader in
            (try reader.setting(named: Self.keybagSetting) ?? [], try reader.setting(named: Self.lastSetting))
        }
        // The header says how a password becomes a key. With the class keys, every program could guess passwords.
        let header = (try? Keybag(parsing: stored)).map { Keybag(header: $0.header, classKeys: []).bytes }
        return BackupSettings(keybag: header ?? [], lastBackup: last.flatMap { WallTime(dateBytes: $0) })
    }

    /// Returns the keybag of encrypted backups; nil while no password is set.
    func stored() throws(Setback) -> [UInt8]? {
        try store.read { try $0.setting(named: Self.keybagSetting) }
    }

    func set(_ made: MadeBackupKeybag) throws(Setback) {
        try store.write { writer in
            try writer.set(made.keybag, named: Self.keybagSetting)
            try writer.set(made.keys.encoded, named: Self.keysSetting)
        }
    }

    func remove() throws(Setback) {
        try store.write { writer in
            try writer.removeSetting(named: Self.keybagSetting)
            try writer.removeSetting(named: Self.keysSetting)
        }
    }

    /// Notes that a backup is complete. The date is for people: a device that cannot write it now has made its backup
    /// all the same.
    func noteBackup() {
        let date = store.clock.wallTime().dateBytes
        try? store.write { try $0.set(date, named: Self.lastSetting) }
    }

    /// Returns the keybag of encrypted backups with its keys.
    func encryption() throws(Setback) -> (keybag: [UInt8], SealedBackupKeys) {
        let (keybag, sealed) = try store.read { reader in
            (try reader.setting(named: Self.keybagSetting), try reader.setting(named: Self.keysSetting))
        }
        guard let keybag, let sealed, let keys = SealedBackupKeys(encoded: sealed) else {
            throw Setback.call(.param, .backupPasswordMissing)
        }
        return (keybag, keys)
    }

    /// - Parameter host: the enclave as a host uses it; nil for that of the device.
    func open(
        _ keybag: [UInt8], _ key: SecretBox, with host: (any EnclaveMailbox)? = nil
    ) throws(Setback) -> SealedBackupKeys {
        switch try (host ?? enclave).answer(to: OpenBackupKeybag(keybag, passcodeKey: key)) {
        case .keys(let keys): return keys
        case .wrongPassword:
            throw .call(.authFailed, .backupPasswordRefused)
        case .refused(.locked): throw .call(.locked(SealedBackupKeys.wrappingClass))
        case .refused:
            throw .call(.decode, .backupKeybagUnusable)
        }
    }

    func make(_ password: BackupPassword, isEncrypted: Bool) throws(Setback) -> MadeBackupKeybag {
        let question = MakeBackupKeybag(password.parameters, passcodeKey: password.key, isEncrypted: isEncrypted)
        let answer = try enclave.answer(to: question)
        do throws(KeyRefusal) {
            return try answer.get()
        } catch .locked {
            throw .call(.locked(SealedBackupKeys.wrappingClass))
        } catch {
            throw .call(.keyDamaged)
        }
    }
}

extension WallTime {
    /// As the database stores a date: the bits of its seconds, most significant byte first.
    var dateBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: seconds.bitPattern >> (56 - 8 * $0)) } }

    init?(dateBytes bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        self.init(secondsSince2001: Double(bitPattern: bits))
    }
}
