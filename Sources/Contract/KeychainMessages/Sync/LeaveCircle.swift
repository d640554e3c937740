package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Leaves the circle. The items stay on this device, or go.
package struct LeaveCircle: SyncChange {
    package static let number: Int64 = 58
    package static let name = "sync-leave"

    package let deletesItems: Bool
    /// True to leave although not everything of this device has reached another one, or the store does not answer.
    package let isForced: Bool
    package let passcode: SecretBox?

    package init(deletesItems: Bool, isForced: Bool, passcode: SecretBox?) {
        self.deletesItems = deletesItems
        self.isForced = isForced
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(deletesItems)
        writer.boolean(isForced)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        deletesItems = try fields.boolean("deletes items")
        isForced = try fields.boolean("forced")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
