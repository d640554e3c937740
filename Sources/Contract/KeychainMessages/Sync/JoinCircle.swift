package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Asks a circle to admit this device. The answer comes when the request is in the store; the admission comes later, with the approval of
/// a member.
package struct JoinCircle: EntrySyncChange {
    package static let number: Int64 = 53
    package static let name = "sync-join"

    package let store: StoreAddress
    package let deviceName: String
    /// The invitation code as the person typed it.
    package let code: SecretBox
    package let passcode: SecretBox?

    package init(store: StoreAddress, deviceName: String, code: SecretBox, passcode: SecretBox?) {
        self.store = store
        self.deviceName = deviceName
        self.code = code
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
