import LatchkeyItemModel
package import LatchkeySecretMemory

/// Only the tool that the daemon knows by itself stays the owner's.
package struct RevokeTools: OwnersChange {
    package static let number: Int64 = 10
    package static let name = "revoke-tools"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package var subject: String { OwnersGroup.name }

    package func write(to writer: inout FieldWriter) {
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        self.init(passcode: try fields.passcode())
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> RemovedCount {
        try device.answer(self)
    }
}
