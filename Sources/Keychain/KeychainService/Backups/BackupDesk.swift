import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// The desk for questions about backups: who may make one, under which password, and the keys of its files. Items go
/// through ``ItemExport`` and ``ItemImport``.
struct BackupDesk: Sendable {
    private static let keybagSetting = "backup-keybag"
    private static let keysSetting = "backup-keys"
    private static let lastSetting = "backup-made"

    let enclave: any EnclaveMailbox
    let store: ItemStore
    let grants: BackupGrants
    let demands: GroupDemands
    let authority: OwnersAuthority
    let failures: CallFailures
    let room: BackupRoom
    let escrows: EscrowDesk
    let clock: any DeviceClock
    let entropy: any Entropy

    // MARK: The password

    func answer(_ question: DescribeBackups, _ caller: Caller) throws(DeviceRefusal) -> BackupSettings {
        try declining(caller) { () throws(Setback) in
            let (stored, last) = try store.read { reader in
                (try reader.setting(named: Self.keybagSetting) ?? [], try reader.setting(named: Self.lastSetting))
            }
            // The header says how a password becomes a key. With the class keys, every program could guess passwords.
            let header = (try? Keybag(parsing: stored)).map { Keybag(header: $0.header, classKeys: []).bytes }
            return BackupSettings(keybag: header ?? [], lastBackup: last.flatMap { Double(dateBytes: $0) })
        }
    }

    func answer(_ question: SetBackupPassword, _ caller: Caller) throws(DeviceRefusal) -> Done {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            let stored = try store.read { try $0.setting(named: Self.keybagSetting) }
            if let stored { try prove(question.current, for: stored) }
            guard let new = question.new else {
                try store.write { writer in
                    try writer.removeSetting(named: Self.keybagSetting)
                    try writer.removeSetting(named: Self.keysSetting)
                }
                return Done()
            }
            // The class keys are new, too: the former password opens nothing of later backups.
            let made = try make(new, isEncrypted: true)
            try store.write { writer in
                try writer.set(made.keybag, named: Self.keybagSetting)
                try writer.set(made.keys.encoded, named: Self.keysSetting)
            }
            return Done()
        }
    }

    /// Checks the key of the password that is set now.
    private func prove(_ key: SecretBox?, for keybag: [UInt8]) throws(Setback) {
        guard let key else {
            throw .call(
                .authFailed, .backupPasswordRefused, "A password for backups is set, and it was not given.",
                advice: "Give the password that is set now; only an erase of the device forgets it otherwise.")
        }
        _ = try open(keybag, key, with: enclave)
    }

    private func open(
        _ keybag: [UInt8], _ key: SecretBox, with enclave: any EnclaveMailbox
    ) throws(Setback) -> SealedBackupKeys {
        switch try enclave.answer(to: OpenBackupKeybag(keybag, passcodeKey: key)) {
        case .keys(let keys): return keys
        case .wrongPassword:
            throw .call(
                .authFailed, .backupPasswordRefused, "This is not the password of the backup.",
                advice: "Give the password that was set when the backup was made.")
        case .refused(.locked): throw .call(.locked(SealedBackupKeys.wrappingClass))
        case .refused:
            throw .call(
                .decode, .backupKeybagUnusable,
                "The backup's keybag cannot be used: it is damaged, or none of a backup.",
                advice: "Look at the backup with latchkey backup verify.")
        }
    }

    private func make(_ password: BackupPassword, isEncrypted: Bool) throws(Setback) -> MadeBackupKeybag {
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

    // MARK: Grants

    func answer(_ question: BeginBackup, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            let token = entropy.bytes(BackupGrant.tokenByteCount)
            switch question.kind {
            case .unencrypted(let password):
                let made = try make(password, isEncrypted: false)
                grants.add(.backup(isEncrypted: false), made.keys, to: caller, token: token)
                return BackupGrant(token: token, keybag: made.keybag)
            case .encrypted:
                let (keybag, keys) = try encryption()
                grants.add(.backup(isEncrypted: true), keys, to: caller, token: token)
                return BackupGrant(token: token, keybag: keybag)
            }
        }
    }

    func answer(_ question: BeginHostBackup, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try failures.journalling(question, by: caller) { () throws(Setback) in
            let host = try escrows.session(of: question.host)
            let (keybag, keys) = try encryption()
            let token = entropy.bytes(BackupGrant.tokenByteCount)
            grants.add(.backup(isEncrypted: true), keys, host: host, to: caller, token: token)
            return BackupGrant(token: token, keybag: keybag)
        }
    }

    /// The keys of encrypted backups.
    private func encryption() throws(Setback) -> (keybag: [UInt8], SealedBackupKeys) {
        let (keybag, sealed) = try store.read { reader in
            (try reader.setting(named: Self.keybagSetting), try reader.setting(named: Self.keysSetting))
        }
        guard let keybag, let sealed, let keys = SealedBackupKeys(encoded: sealed) else {
            throw Setback.call(
                .param, .backupPasswordMissing, "No password for encrypted backups is set.",
                advice: "Set one: latchkey backup password set.")
        }
        return (keybag, keys)
    }

    func answer(_ question: BeginRestore, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try authority.change(question, by: caller) { () throws(Setback) in
            let keys = try open(question.keybag, question.passwordKey, with: enclave)
            let token = entropy.bytes(BackupGrant.tokenByteCount)
            grants.add(.restore(question.policy), keys, to: caller, token: token)
            return BackupGrant(token: token, keybag: question.keybag)
        }
    }

    func answer(_ question: BeginHostRestore, _ caller: Caller) throws(DeviceRefusal) -> BackupGrant {
        try caller.refuseBackups()
        return try failures.journalling(question, by: caller) { () throws(Setback) in
            let host = try escrows.session(of: question.host)
            let keys = try open(question.keybag, question.passwordKey, with: host.room.enclave)
            let token = entropy.bytes(BackupGrant.tokenByteCount)
            grants.add(.restore(question.policy), keys, host: host, to: caller, token: token)
            return BackupGrant(token: token, keybag: question.keybag)
        }
    }

    func answer(_ question: EndBackup, _ caller: Caller) throws(DeviceRefusal) -> Done {
        let wasCaller = grants.end(question.token, caller)
        if wasCaller, question.isComplete {
            // The date is for people: a device that cannot write it now has made its backup all the same.
            let date = clock.wallTime().seconds.dateBytes
            try? store.write { try $0.set(date, named: Self.lastSetting) }
        }
        return Done()
    }

    // MARK: Items

    func answer(_ question: PlanItems, _ caller: Caller) throws(DeviceRefusal) -> [ItemPlanRow] {
        try declining(caller) { () throws(Setback) in try room.exporter.plan() }
    }

    func answer(_ question: BackUpItems, _ caller: Caller) throws(DeviceRefusal) -> BackedUpItems {
        try failures.journalling(question, by: caller) { () throws(Setback) in
            let grant = try grants.grant(question.token, caller)
            guard case .backup(let isEncrypted) = grant.deed else { throw .call(.otherGrant) }
            return try (grant.host?.room ?? room).exporter.page(
                after: question.start, grant.keys, isEncrypted: isEncrypted, withheld: withheld(from: caller))
        }
    }

    func answer(_ question: RestoreItems, _ caller: Caller) throws(DeviceRefusal) -> RestoredItems {
        try failures.journalling(question, by: caller) { () throws(Setback) in
            let grant = try grants.grant(question.token, caller)
            guard case .restore(let policy) = grant.deed else { throw .call(.otherGrant) }
            let makesPlace = policy == .replace && !grant.hasMadePlace && !question.isDryRun
            let (answer, hasMadePlace) = try (grant.host?.room ?? room).importer.restore(
                question.items, grant.keys, policy, makesPlace: makesPlace, isDryRun: question.isDryRun,
                withheld: withheld(from: caller), chosen: question.groups.map { Set($0) })
            if hasMadePlace { grants.noteMadePlace(question.token) }
            return answer
        }
    }

    /// The groups that demand a higher level than the caller has: the passcode does not open them. Root reads the
    /// device's files, so it needs no level.
    private func withheld(from caller: Caller) throws(Setback) -> Set<String> {
        caller.isRoot ? [] : Set(try demands.groups(above: caller.level).keys)
    }

    // MARK: Keys of files

    func answer(_ question: CreateBackupFileKeys, _ caller: Caller) throws(DeviceRefusal) -> NewBackupFileKeys {
        try failures.journalling(question, by: caller) { () throws(Setback) in
            let grant = try grants.grant(question.token, caller)
            let made = try (grant.host?.room ?? room).enclave.newBackupKeys(grant.keys, question.classNumbers)
            return NewBackupFileKeys(made.map { (key: $0.key, wrapped: $0.wrapped) })
        }
    }

    func answer(_ question: OpenBackupFileKeys, _ caller: Caller) throws(DeviceRefusal) -> OpenedBackupFileKeys {
        try failures.journalling(question, by: caller) { () throws(Setback) in
            let grant = try grants.grant(question.token, caller)
            let wrapped = question.keys.map {
                UnwrapBackupKeys.Key(classNumber: $0.classNumber, bytes: $0.wrapped)
            }
            let outcomes = try (grant.host?.room ?? room).enclave.answer(to: UnwrapBackupKeys(grant.keys, wrapped))
            return OpenedBackupFileKeys(
                try outcomes.map { outcome throws(Setback) in
                    switch outcome {
                    case .key(let key): return key
                    case .refused(.locked): throw .call(.locked(SealedBackupKeys.wrappingClass))
                    case .refused: return nil
                    }
                })
        }
    }

    private func declining<Answer>(
        _ caller: Caller, _ body: () throws(Setback) -> Answer
    ) throws(DeviceRefusal) -> Answer {
        try caller.refuseBackups()
        do throws(Setback) {
            return try body()
        } catch {
            throw failures.failure(error).declined
        }
    }
}

extension Caller {
    /// A program that gets no groups gets no backup either.
    func refuseBackups() throws(DeviceRefusal) {
        if let refusal, !isRoot { throw .declined(.missingEntitlement, refusal) }
    }
}

extension Double {
    /// As the database stores a date: the bits, most significant byte first.
    var dateBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: bitPattern >> (56 - 8 * $0)) } }

    init?(dateBytes bytes: [UInt8]) {
        guard bytes.count == 8 else { return nil }
        self.init(bitPattern: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
}

extension CallFailure {
    /// A grant for a backup restores nothing, and one for a restore reads nothing.
    fileprivate static let otherGrant = CallFailure(
        .authFailed, .backupGrantOver, "This right is for the other direction: to back up, or to restore.",
        advice: "Begin a backup or a restore of its own.")
}

extension EnclaveMailbox {
    /// New keys of a backup, one for each class number.
    func newBackupKeys(_ keys: SealedBackupKeys, _ classNumbers: [UInt8]) throws(Setback) -> [CreatedKey] {
        let answer = try answer(to: CreateBackupKeys(keys, classNumbers: classNumbers))
        do throws(KeyRefusal) {
            return try answer.get()
        } catch .locked {
            throw .call(.locked(SealedBackupKeys.wrappingClass))
        } catch {
            throw .call(.keyDamaged)
        }
    }
}
