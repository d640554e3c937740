package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Lets the exchange rest, or ends that. A device that rests does not learn that it, or another one, was removed.
package struct PauseSync: SyncChange {
    package static let number: Int64 = 67
    package static let name = "sync-pause"

    package let pauses: Bool
    package let passcode: SecretBox?

    package init(_ pauses: Bool, passcode: SecretBox?) {
        self.pauses = pauses
        self.passcode = passcode
    }

    package var subject: String { pauses ? "on" : "off" }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(pauses)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        pauses = try fields.boolean("pauses")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
