package import LatchkeySecretMemory

/// Replaces the recovery code of the circle.
package struct ReplaceRecoveryCode: BareSyncChange {
    package static let number: Int64 = 60
    package static let name = "sync-recovery-code"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> NewRecoveryCode {
        try circle.answer(self)
    }
}
