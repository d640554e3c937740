package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Brings back a version that lost. That is a change like any other: it travels, and the version that it replaces is kept.
package struct RestoreConflict: SyncChange {
    package static let number: Int64 = 63
    package static let name = "sync-restore"

    /// As in ``ConflictReport/number``.
    package let conflict: Int64
    package let passcode: SecretBox?

    package init(_ conflict: Int64, passcode: SecretBox?) {
        self.conflict = conflict
        self.passcode = passcode
    }

    package var subject: String { "\(conflict)" }

    package func write(to writer: inout FieldWriter) {
        writer.integer(conflict)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        conflict = try fields.integer("conflict")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
