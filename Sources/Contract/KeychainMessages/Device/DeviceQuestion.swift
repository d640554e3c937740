package import LatchkeyEnclaveContract
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// A question about the device itself, its teams, apps and owner.
package protocol DeviceQuestion: KeychainQuestion where Failure == DeviceRefusal {
    associatedtype Answer

    /// The one field of the message, with the secrets beside it.
    var content: (field: PropertyValue, secrets: [SecretBox]) { get }
    func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Answer
}

extension DeviceQuestion {
    package var message: WireMessage {
        let content = content
        return MessageCoding.message(Failure.questionKind, [content.field], secrets: content.secrets)
    }
}

/// A question that the enclave has no part in: its field is a list that begins with its number.
package protocol ListedDeviceQuestion: DeviceQuestion, NumberedQuestion {}

extension ListedDeviceQuestion {
    package var content: (field: PropertyValue, secrets: [SecretBox]) {
        var writer = FieldWriter(Self.number)
        write(to: &writer)
        return (.array(writer.values), writer.secrets)
    }
}

/// A change of what the device knows about teams, apps and tools. It needs the passcode where one is set.
package protocol OwnersChange: ListedDeviceQuestion {
    var passcode: SecretBox? { get }
}

extension OwnersChange {
    package static var traits: KeychainTraits { [.ownersAlone, .changesDevice, .audited] }
}

/// A service that answers every question about a device.
package protocol DeviceAnswers {
    func answer<Question>(_ question: Forwarded<Question>) throws(DeviceRefusal) -> Question.Answer
    func answer(_ question: DescribeDevice) throws(DeviceRefusal) -> DeviceStatus
    func answer(_ question: ListRefusals) throws(DeviceRefusal) -> [RefusalRecord]
    func answer(_ question: PreviewEndings) throws(DeviceRefusal) -> EndingPreview
    func answer(_ question: ListEndedItems) throws(DeviceRefusal) -> [EndedItem]
    func answer(_ question: ListTeams) throws(DeviceRefusal) -> [TrustedTeam]
    func answer(_ question: TrustTeam) throws(DeviceRefusal) -> Done
    func answer(_ question: RevokeTeam) throws(DeviceRefusal) -> Done
    func answer(_ question: ListTeamAliases) throws(DeviceRefusal) -> [PinnedAlias]
    func answer(_ question: PinTeamAlias) throws(DeviceRefusal) -> StoredGroupCount
    func answer(_ question: RemoveTeamAlias) throws(DeviceRefusal) -> Done
    func answer(_ question: ListApplications) throws(DeviceRefusal) -> [RegisteredApplication]
    func answer(_ question: ForgetApplication) throws(DeviceRefusal) -> RemovedCount
    func answer(_ question: ConfigureApplications) throws(DeviceRefusal) -> Done
    func answer(_ question: RequireLevel) throws(DeviceRefusal) -> Done
    func answer(_ question: DescribeOwnersTool) throws(DeviceRefusal) -> OwnersTool
    func answer(_ question: AdoptTool) throws(DeviceRefusal) -> Adoption
    func answer(_ question: RevokeTools) throws(DeviceRefusal) -> RemovedCount
    func answer(_ question: BeginBackup) throws(DeviceRefusal) -> BackupGrant
    func answer(_ question: SetBackupPassword) throws(DeviceRefusal) -> Done
    func answer(_ question: DescribeBackups) throws(DeviceRefusal) -> BackupSettings
    func answer(_ question: BackUpItems) throws(DeviceRefusal) -> BackedUpItems
    func answer(_ question: CreateBackupFileKeys) throws(DeviceRefusal) -> NewBackupFileKeys
    func answer(_ question: OpenBackupFileKeys) throws(DeviceRefusal) -> OpenedBackupFileKeys
    func answer(_ question: BeginRestore) throws(DeviceRefusal) -> BackupGrant
    func answer(_ question: RestoreItems) throws(DeviceRefusal) -> RestoredItems
    func answer(_ question: PlanItems) throws(DeviceRefusal) -> [ItemPlanRow]
    func answer(_ question: EndBackup) throws(DeviceRefusal) -> Done
    func answer(_ question: CreateEscrow) throws(DeviceRefusal) -> HostKeybag
    func answer(_ question: ListEscrows) throws(DeviceRefusal) -> [EscrowRecord]
    func answer(_ question: RevokeEscrow) throws(DeviceRefusal) -> RemovedCount
    func answer(_ question: BeginHostBackup) throws(DeviceRefusal) -> BackupGrant
    func answer(_ question: BeginHostRestore) throws(DeviceRefusal) -> BackupGrant
    func answer<Question: SyncQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer
    func answer<Question: SyncChange>(_ question: Question) throws(DeviceRefusal) -> Question.Answer
}

/// The questions that are lists, by their numbers.
package enum DeviceQuestions {
    package static let listed: [any ListedDeviceQuestion.Type] = [
        TrustTeam.self, RevokeTeam.self, ListTeams.self, ListApplications.self, ForgetApplication.self,
        ConfigureApplications.self, RequireLevel.self, DescribeOwnersTool.self, AdoptTool.self, RevokeTools.self,
        PinTeamAlias.self, RemoveTeamAlias.self, ListTeamAliases.self,
        PreviewEndings.self, ListEndedItems.self,
        BeginBackup.self, SetBackupPassword.self, DescribeBackups.self, BackUpItems.self, CreateBackupFileKeys.self,
        OpenBackupFileKeys.self, BeginRestore.self, RestoreItems.self, PlanItems.self, EndBackup.self,
        CreateEscrow.self, ListEscrows.self, RevokeEscrow.self, BeginHostBackup.self, BeginHostRestore.self,
        CreateCircle.self, InviteDevice.self, CancelInvitation.self, ReadInvitation.self, JoinCircle.self,
        AskToJoin.self,
        ListJoinRequests.self,
        ApproveDevice.self, DescribeCircle.self, RemoveDevice.self, LeaveCircle.self, RecoverCircle.self,
        ReplaceRecoveryCode.self, ListConflicts.self, RestoreConflict.self, AwaitSync.self, ExchangeNow.self,
        ShareGroup.self, PauseSync.self, ChangeCircleKeys.self, RepairDevice.self, MoveCircle.self,
        DeleteCircle.self,
    ]

    private static let byNumber = Dictionary(uniqueKeysWithValues: listed.map { ($0.number, $0) })

    static func type(of number: Int64) -> (any ListedDeviceQuestion.Type)? { byNumber[number] }
}
