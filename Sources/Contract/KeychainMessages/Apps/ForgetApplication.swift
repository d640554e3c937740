package import LatchkeySecretMemory

/// Forgets an app, and the items of groups that no other app has.
package struct ForgetApplication: OwnersChange {
    package static let number: Int64 = 5
    package static let name = "forget-app"

    package let application: String
    /// True if the items go, too; nil: as the device is set to.
    package let removesItems: Bool?
    package let passcode: SecretBox?

    package init(_ application: String, removesItems: Bool?, passcode: SecretBox?) {
        self.application = application
        self.removesItems = removesItems
        self.passcode = passcode
    }

    package var subject: String { String(application.prefix(256)) }

    package func write(to writer: inout FieldWriter) {
        writer.text(application)
        writer.optionalBoolean(removesItems)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        application = try fields.text("application")
        removesItems = try fields.optionalBoolean("removes items")
        passcode = try fields.passcode()
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> RemovedCount {
        try device.answer(self)
    }
}

/// The number of things removed.
package struct RemovedCount: KeychainAnswer, Hashable {
    package static let replyNumber: Int64 = 7

    package let count: Int

    package init(_ count: Int) {
        self.count = count
    }

    package func write(to writer: inout FieldWriter) {
        writer.integer(Int64(count))
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        guard let count = Int(exactly: try fields.count("removed items")) else { throw .badField("removed items") }
        self.init(count)
    }
}
