package import LatchkeyEnclaveContract
package import LatchkeySecretMemory

/// Lets the items of a group travel that is local by default, or ends that, on all devices.
package struct ShareGroup: SyncChange {
    package static let number: Int64 = 66
    package static let name = "sync-group"
    /// The length of a group that a circle can name.
    package static let groupByteLimit = 255

    package let group: String
    package let isShared: Bool
    package let passcode: SecretBox?

    package init(_ group: String, isShared: Bool, passcode: SecretBox?) {
        self.group = group
        self.isShared = isShared
        self.passcode = passcode
    }

    package var subject: String { group }

    package func write(to writer: inout FieldWriter) {
        writer.text(group)
        writer.boolean(isShared)
        writer.optionalSecret(passcode)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        group = try fields.text("group")
        guard (1...Self.groupByteLimit).contains(group.utf8.count) else { throw .badField("group") }
        isShared = try fields.boolean("shared")
        passcode = try fields.passcode()
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> Done {
        try circle.answer(self)
    }
}
