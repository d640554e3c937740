import LatchkeyEnclaveContract
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The rooms in which questions about the device are answered.
struct DeviceRooms: Sendable {
    let report: DeviceReport
    let enclave: EnclaveDesk
    let programs: ProgramDesk
    let owner: OwnersDesk
    let endings: EndingDesk
    let backups: BackupDesks
    let sync: SyncDesk
}

/// A program's question about the device. It goes to the room of its subject.
struct DeviceCall: DeviceAnswers {
    let rooms: DeviceRooms
    let caller: Caller
    /// The session of the question's connection. Work stops if the program has gone away.
    let session: ServiceSession?

    func answer<Question>(_ question: Forwarded<Question>) throws(DeviceRefusal) -> Question.Answer {
        let answer = try rooms.enclave.answer(question)
        if Question.keychainTraits.contains(.endsEscrows) { rooms.backups.escrows.passcodeHasGone() }
        return answer
    }

    func answer(_ question: DescribeDevice) throws(DeviceRefusal) -> DeviceStatus {
        try rooms.report.answer(question, caller)
    }

    func answer(_ question: ListRefusals) throws(DeviceRefusal) -> [RefusalRecord] {
        try rooms.report.answer(question, caller)
    }

    func answer(_ question: PreviewEndings) throws(DeviceRefusal) -> EndingPreview {
        try rooms.endings.answer(question, caller, session)
    }

    func answer(_ question: ListEndedItems) throws(DeviceRefusal) -> [EndedItem] {
        try rooms.endings.answer(question, caller)
    }

    func answer(_ question: ListTeams) throws(DeviceRefusal) -> [TrustedTeam] {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: TrustTeam) throws(DeviceRefusal) -> Done {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: RevokeTeam) throws(DeviceRefusal) -> Done {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: ListTeamAliases) throws(DeviceRefusal) -> [PinnedAlias] {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: PinTeamAlias) throws(DeviceRefusal) -> StoredGroupCount {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: RemoveTeamAlias) throws(DeviceRefusal) -> Done {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: ListApplications) throws(DeviceRefusal) -> [RegisteredApplication] {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: ForgetApplication) throws(DeviceRefusal) -> RemovedCount {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: ConfigureApplications) throws(DeviceRefusal) -> Done {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: RequireLevel) throws(DeviceRefusal) -> Done {
        try rooms.programs.answer(question, caller)
    }

    func answer(_ question: DescribeOwnersTool) throws(DeviceRefusal) -> OwnersTool {
        try rooms.owner.answer(question, caller)
    }

    func answer(_ question: AdoptTool) throws(DeviceRefusal) -> Adoption {
        try rooms.owner.answer(question, caller)
    }

    func answer(_ question: RevokeTools) throws(DeviceRefusal) -> RemovedCount {
        try rooms.owner.answer(question, caller)
    }

    func answer(_ question: BeginBackup) throws(DeviceRefusal) -> BackupGrant {
        try rooms.backups.grants.answer(question, caller)
    }

    func answer(_ question: SetBackupPassword) throws(DeviceRefusal) -> Done {
        try rooms.backups.password.answer(question, caller)
    }

    func answer(_ question: DescribeBackups) throws(DeviceRefusal) -> BackupSettings {
        try rooms.backups.password.answer(question, caller)
    }

    func answer(_ question: BackUpItems) throws(DeviceRefusal) -> BackedUpItems {
        try rooms.backups.content.answer(question, caller)
    }

    func answer(_ question: CreateBackupFileKeys) throws(DeviceRefusal) -> NewBackupFileKeys {
        try rooms.backups.content.answer(question, caller)
    }

    func answer(_ question: OpenBackupFileKeys) throws(DeviceRefusal) -> OpenedBackupFileKeys {
        try rooms.backups.content.answer(question, caller)
    }

    func answer(_ question: BeginRestore) throws(DeviceRefusal) -> BackupGrant {
        try rooms.backups.grants.answer(question, caller)
    }

    func answer(_ question: RestoreItems) throws(DeviceRefusal) -> RestoredItems {
        try rooms.backups.content.answer(question, caller)
    }

    func answer(_ question: PlanItems) throws(DeviceRefusal) -> [ItemPlanRow] {
        try rooms.backups.content.answer(question, caller)
    }

    func answer(_ question: EndBackup) throws(DeviceRefusal) -> Done {
        try rooms.backups.grants.answer(question, caller)
    }

    func answer(_ question: CreateEscrow) throws(DeviceRefusal) -> HostKeybag {
        try rooms.backups.escrows.answer(question, caller)
    }

    func answer(_ question: ListEscrows) throws(DeviceRefusal) -> [EscrowRecord] {
        try rooms.backups.escrows.answer(question, caller)
    }

    func answer(_ question: RevokeEscrow) throws(DeviceRefusal) -> RemovedCount {
        try rooms.backups.escrows.answer(question, caller)
    }

    func answer(_ question: BeginHostBackup) throws(DeviceRefusal) -> BackupGrant {
        try rooms.backups.grants.answer(question, caller)
    }

    func answer(_ question: BeginHostRestore) throws(DeviceRefusal) -> BackupGrant {
        try rooms.backups.grants.answer(question, caller)
    }

    func answer<Question: SyncQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try rooms.sync.answer(question, caller)
    }

    func answer<Question: SyncChange>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try rooms.sync.answer(question, caller)
    }
}
