package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Goes on under new keys of the circle. Each time takes one of the statements that a device has.
package struct ChangeCircleKeys: BareSyncChange {
    package static let number: Int64 = 61
    package static let name = "sync-rekey"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
