package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Admits this device with the recovery code of the circle.
package struct RecoverCircle: EntrySyncChange {
    package static let number: Int64 = 59
    package static let name = "sync-recover"

    package let store: StoreAddress
    package let deviceName: String
    /// The recovery code as the person typed it.
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
