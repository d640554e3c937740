import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Removes every object of the circle from its store, and forgets the circle. For the last device of a circle.
package struct DeleteCircle: BareSyncChange {
    package static let number: Int64 = 70
    package static let name = "sync-store-delete"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> RemovedCount {
        try circle.answer(self)
    }
}
