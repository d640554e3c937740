package import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Admits a device that has answered the open invitation.
package struct ApproveDevice: SyncChange {
    package static let number: Int64 = 55
    package static let name = "sync-approve"

    /// As in ``WaitingDevice/identifier``: the device that the person has seen.
    package let identifier: [UInt8]
    package let passcode: SecretBox?

    package init(_ identifier: [UInt8], passcode: SecretBox?) {
        self.identifier = identifier
        self.passcode = passcode
    }

    package var subject: String { Hexadecimal.text(identifier) }

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
