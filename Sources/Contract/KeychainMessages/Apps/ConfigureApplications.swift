package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Sets whether the items of a forgotten app go, where ``ForgetApplication`` does not say.
package struct ConfigureApplications: OwnersChange {
    package static let number: Int64 = 6
    package static let name = "configure-apps"

    package let removesItems: Bool
    package let passcode: SecretBox?

    package init(removesItems: Bool, passcode: SecretBox?) {
        self.removesItems = removesItems
        self.passcode = passcode
    }

    package func write(to writer: inout FieldWriter) {
        writer.boolean(removesItems)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        removesItems = try fields.boolean("removes items")
        passcode = try fields.passcode()
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> Done {
        try device.answer(self)
    }
}
