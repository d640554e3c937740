import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The desk for the content of backups: items, which go through ``ItemExport`` and ``ItemImport``, and the keys of files.
struct BackupContentDesk: Sendable {
    let room: BackupRoom
    let grants: BackupGrants
    let demands: GroupDemands
    let failures: CallFailures

    func answer(_ question: PlanItems, _ caller: Caller) throws(DeviceRefusal) -> [ItemPlanRow] {
        try failures.declining(caller) { () throws(Setback) in try room.exporter.plan() }
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
}

extension CallFailure {
    /// A grant for a backup restores nothing, and one for a restore reads nothing.
    fileprivate static let otherGrant = CallFailure(.authFailed, as: .grantForOtherDirection)
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
