package import LatchkeyAccessControl

/// Answers every question to the enclave. Code that leaves a question without an answer does not compile.
package protocol EnclaveAnswers {
    // The device and its passcode.
    func answer(_ question: AskLoad) throws(EnclaveRefusal) -> EnclaveLoad
    func answer(_ question: AskRevision) throws(EnclaveRefusal) -> EnclaveRevision
    func answer(_ question: AskStatus) throws(EnclaveRefusal) -> EnclaveStatus
    func answer(_ question: AwaitKeyChange) throws(EnclaveRefusal) -> KeyEpoch
    func answer(_ question: ChangePasscode) throws(EnclaveRefusal) -> Done
    func answer(_ question: ConfigureDevice) throws(EnclaveRefusal) -> Done
    func answer(_ question: EraseDevice) throws(EnclaveRefusal) -> Done
    func answer(_ question: LockDevice) throws(EnclaveRefusal) -> Done
    func answer(_ question: MeasurePasscodeCost) throws(EnclaveRefusal) -> PasscodeTryCost
    func answer(_ question: RemovePasscode) throws(EnclaveRefusal) -> Done
    func answer(_ question: SetPasscode) throws(EnclaveRefusal) -> Done
    func answer(_ question: UnlockDevice) throws(EnclaveRefusal) -> Done
    func answer(_ question: VerifyPasscode) throws(EnclaveRefusal) -> Done

    // Keys that the enclave makes and opens, and that others use.
    func answer(_ question: CreateKey) throws(EnclaveRefusal) -> Result<CreatedKey, KeyRefusal>
    func answer(_ question: CreateKeys) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal>
    func answer(_ question: UnwrapKeys) throws(EnclaveRefusal) -> [KeyOutcome]

    // Keys of protected files.
    func answer(_ question: MakeFileKeys) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal>
    func answer(_ question: RewrapKey) throws(EnclaveRefusal) -> Result<RewrappedKey, KeyRefusal>

    // Secrets of a circle of devices.
    func answer(_ question: WrapSyncKey) throws(EnclaveRefusal) -> Result<RewrappedKey, KeyRefusal>

    // Class keys of backups.
    func answer(_ question: MakeBackupKeybag) throws(EnclaveRefusal) -> Result<MadeBackupKeybag, KeyRefusal>
    func answer(_ question: OpenBackupKeybag) throws(EnclaveRefusal) -> OpenedBackupKeybag
    func answer(_ question: CreateBackupKeys) throws(EnclaveRefusal) -> Result<[CreatedKey], KeyRefusal>
    func answer(_ question: UnwrapBackupKeys) throws(EnclaveRefusal) -> [KeyOutcome]

    // Hosts that back up and restore without the passcode.
    func answer(_ question: MakeEscrow) throws(EnclaveRefusal) -> MadeEscrow
    func answer(_ question: OpenEscrow) throws(EnclaveRefusal) -> OpenedEscrow

    // Authentication contexts.
    func answer(_ question: AllowReuse) throws(EnclaveRefusal) -> ContextAnswer<Done>
    func answer(_ question: AssessDemand) throws(EnclaveRefusal) -> ContextAnswer<Verdict>
    func answer(_ question: BindAccessControl) throws(EnclaveRefusal) -> BoundAccessControl
    func answer(_ question: CancelMatch) throws(EnclaveRefusal) -> ContextAnswer<Done>
    func answer(_ question: CloseContext) throws(EnclaveRefusal) -> ContextAnswer<Done>
    func answer(_ question: MatchFinger) throws(EnclaveRefusal) -> ContextAnswer<MatchOutcome>
    func answer(_ question: OfferPasscode) throws(EnclaveRefusal) -> ContextAnswer<Done>
    func answer(_ question: OpenContext) throws(EnclaveRefusal) -> OpenedContext
    func answer(_ question: SetApplicationPassword) throws(EnclaveRefusal) -> ContextAnswer<Done>

    // The owner's fingers.
    func answer(_ question: AskBiometry) throws(EnclaveRefusal) -> BiometryStatus
    func answer(_ question: BeginEnrolment) throws(EnclaveRefusal) -> FingersDone
    func answer(_ question: CancelEnrolment) throws(EnclaveRefusal) -> FingersDone
    func answer(_ question: CancelUnlock) throws(EnclaveRefusal) -> FingersDone
    func answer(_ question: ContinueEnrolment) throws(EnclaveRefusal) -> EnrolmentEvent
    func answer(_ question: LockRemotely) throws(EnclaveRefusal) -> FingersDone
    func answer(_ question: RemoveFinger) throws(EnclaveRefusal) -> FingerRemoval
    func answer(_ question: UnlockWithFinger) throws(EnclaveRefusal) -> MatchOutcome

    // The keys that never leave the enclave.
    func answer(_ question: AgreeOnKey) throws(EnclaveRefusal) -> KeyExchangeAnswer
    func answer(_ question: Decapsulate) throws(EnclaveRefusal) -> KeyExchangeAnswer
    func answer(_ question: DeleteKeys) throws(EnclaveRefusal) -> KeysDeleted
    func answer(_ question: DescribeKeys) throws(EnclaveRefusal) -> [KeyDescription]
    func answer(_ question: MakeKey) throws(EnclaveRefusal) -> NewKeyAnswer
    func answer(_ question: SignDigest) throws(EnclaveRefusal) -> SignatureAnswer
    func answer(_ question: SignMessage) throws(EnclaveRefusal) -> SignatureAnswer
}

/// All questions to the enclave.
package enum EnclaveQuestions {
    package static let all: [any EnclaveQuestion.Type] = [
        AskLoad.self, AskRevision.self, AskStatus.self, AwaitKeyChange.self, ChangePasscode.self, ConfigureDevice.self,
        EraseDevice.self, LockDevice.self, MeasurePasscodeCost.self, RemovePasscode.self, SetPasscode.self,
        UnlockDevice.self,
        VerifyPasscode.self,
        CreateKey.self, CreateKeys.self, UnwrapKeys.self,
        MakeFileKeys.self, RewrapKey.self, WrapSyncKey.self,
        MakeBackupKeybag.self, OpenBackupKeybag.self, CreateBackupKeys.self, UnwrapBackupKeys.self,
        MakeEscrow.self, OpenEscrow.self,
        AllowReuse.self, AssessDemand.self, BindAccessControl.self, CancelMatch.self, CloseContext.self,
        MatchFinger.self, OfferPasscode.self, OpenContext.self, SetApplicationPassword.self,
        AskBiometry.self, BeginEnrolment.self, CancelEnrolment.self, CancelUnlock.self, ContinueEnrolment.self,
        LockRemotely.self, RemoveFinger.self, UnlockWithFinger.self,
        AgreeOnKey.self, Decapsulate.self, DeleteKeys.self, DescribeKeys.self, MakeKey.self, SignDigest.self,
        SignMessage.self,
    ]

    private static let byNumber = all.reduce(into: [MessageNumber: any EnclaveQuestion.Type]()) { table, type in
        for number in type.numbers { table[number] = type }
    }

    static func type(of number: MessageNumber) -> (any EnclaveQuestion.Type)? { byNumber[number] }
}
