package import LatchkeyEnclaveContract
package import LatchkeyItemModel
package import LatchkeySecretMemory

/// A question about the circle of this device, or to the part of the daemon that exchanges items with it.
package protocol SyncQuestion: ListedDeviceQuestion {
    associatedtype Answer

    func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Answer
}

extension SyncQuestion {
    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Answer {
        try device.answer(self)
    }
}

/// A change of the circle that needs the passcode.
package protocol SyncChange: SyncQuestion, OwnersChange {}

extension SyncChange {
    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Answer {
        try device.answer(self)
    }
}

/// A change of the circle whose only field is the passcode.
package protocol BareSyncChange: SyncChange {
    init(passcode: SecretBox?)
}

extension BareSyncChange {
    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(passcode: try fields.passcode())
    }
}

/// A way of this device into a circle, with a code that its user types.
package protocol EntrySyncChange: SyncChange {
    var store: StoreAddress { get }
    var deviceName: String { get }
    var code: SecretBox { get }
    init(store: StoreAddress, deviceName: String, code: SecretBox, passcode: SecretBox?)
}

extension EntrySyncChange {
    package var subject: String { store.description }

    package func write(to writer: inout FieldWriter) {
        writer.text(store.description)
        writer.text(deviceName)
        writer.optionalSecret(passcode)
        writer.secret(code)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        let (store, deviceName) = (try fields.storeAddress(), try fields.deviceName())
        let (passcode, code) = try fields.passcodeAndCode()
        self.init(store: store, deviceName: deviceName, code: code, passcode: passcode)
    }
}

/// A service that answers every question about a circle.
package protocol CircleAnswers: Sendable {
    func answer(_ question: CreateCircle) throws(CircleFailure) -> NewRecoveryCode
    func answer(_ question: InviteDevice) throws(CircleFailure) -> NewInvitation
    func answer(_ question: CancelInvitation) throws(CircleFailure) -> RemovedCount
    func answer(_ question: ReadInvitation) throws(CircleFailure) -> InvitedCircle
    func answer(_ question: JoinCircle) throws(CircleFailure) -> Done
    func answer(_ question: AskToJoin) throws(CircleFailure) -> Done
    func answer(_ question: ListJoinRequests) throws(CircleFailure) -> [WaitingDevice]
    func answer(_ question: ApproveDevice) throws(CircleFailure) -> Done
    func answer(_ question: DescribeCircle) throws(CircleFailure) -> CircleReport
    func answer(_ question: RemoveDevice) throws(CircleFailure) -> RemovedDevice
    func answer(_ question: LeaveCircle) throws(CircleFailure) -> Done
    func answer(_ question: RecoverCircle) throws(CircleFailure) -> Done
    func answer(_ question: ReplaceRecoveryCode) throws(CircleFailure) -> NewRecoveryCode
    func answer(_ question: ListConflicts) throws(CircleFailure) -> [ConflictReport]
    func answer(_ question: RestoreConflict) throws(CircleFailure) -> Done
    func answer(_ question: AwaitSync) throws(CircleFailure) -> SyncProgress
    func answer(_ question: ExchangeNow) throws(CircleFailure) -> Done
    func answer(_ question: PauseSync) throws(CircleFailure) -> Done
    func answer(_ question: ChangeCircleKeys) throws(CircleFailure) -> Done
    func answer(_ question: RepairDevice) throws(CircleFailure) -> RepairedDevice
    func answer(_ question: MoveCircle) throws(CircleFailure) -> Done
    func answer(_ question: DeleteCircle) throws(CircleFailure) -> RemovedCount
    func answer(_ question: ShareGroup) throws(CircleFailure) -> GroupSharing
}

/// The reason why a question about the circle has no answer.
package struct CircleFailure: Error, Sendable {
    package let code: ResultCode
    package let refusal: Refusal

    package init(_ code: ResultCode, _ refusal: Refusal) {
        self.code = code
        self.refusal = refusal
    }

    package init(_ rule: Rule, _ values: any CustomStringConvertible...) {
        self.init(.notAvailable, Refusal(filled: rule.text.filled(with: values)))
    }
}
