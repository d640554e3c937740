package import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Admits a device that has answered the open invitation, or one that asked without a code and whose fingerprint a person names.
package struct ApproveDevice: SyncChange {
    package static let number: Int64 = 55
    package static let name = "sync-approve"

    /// As in ``WaitingDevice/identifier``: the device that the person has seen.
    package let identifier: [UInt8]
    /// The fingerprint of that device. Nil if the code of the invitation is proof enough.
    package let fingerprint: FingerprintText?
    package let passcode: SecretBox?

    package init(_ identifier: [UInt8], fingerprint: FingerprintText? = nil, passcode: SecretBox?) {
        self.identifier = identifier
        self.fingerprint = fingerprint
        self.passcode = passcode
    }

    package var subject: String { Hexadecimal.text(identifier) }

    package func write(to writer: inout FieldWriter) {
        writer.data(identifier)
        writer.optionalText(fingerprint?.characters)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        identifier = try fields.circleIdentifier("device")
        fingerprint = try fields.optionalFingerprint("fingerprint")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
