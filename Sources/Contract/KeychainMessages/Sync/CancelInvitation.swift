import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Ends the open invitation.
package struct CancelInvitation: BareSyncChange {
    package static let number: Int64 = 52
    package static let name = "sync-invite-cancel"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> RemovedCount {
        try circle.answer(self)
    }
}
