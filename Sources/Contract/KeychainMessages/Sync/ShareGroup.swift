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

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> GroupSharing {
        try circle.answer(self)
    }
}

/// The effect of a ``ShareGroup`` on the groups of the circle.
package struct GroupSharing: Sendable, Hashable {
    /// False if they were so already, and no statement was written.
    package let isChanged: Bool

    package init(_ isChanged: Bool) {
        self.isChanged = isChanged
    }
}

extension GroupSharing: KeychainAnswer {
    package static let replyNumber: Int64 = 66

    package func write(to writer: inout FieldWriter) {
        writer.boolean(isChanged)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        isChanged = try fields.boolean("changed")
    }
}
