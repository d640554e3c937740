import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Ends the open invitation.
package struct CancelInvitation: SyncChange {
    package static let number: Int64 = 52
    package static let name = "sync-invite-cancel"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> RemovedCount {
        try circle.answer(self)
    }
}
