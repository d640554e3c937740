package import LatchkeySecretMemory

/// Opens the invitation of a code, and tells what its circle shares, before a request to be admitted is written. It changes
/// nothing here and in the store.
package struct ReadInvitation: EntrySyncChange {
    package static let number: Int64 = 72
    package static let name = "sync-invitation"

    package let store: StoreAddress
    package let deviceName: String
    /// The invitation code as the person typed it.
    package let code: SecretBox
    package let passcode: SecretBox?

    package init(store: StoreAddress, deviceName: String, code: SecretBox, passcode: SecretBox?) {
        self.store = store
        self.deviceName = deviceName
        self.code = code
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> InvitedCircle {
        try circle.answer(self)
    }
}

/// The circle of an invitation, to a device that is not in it.
package struct InvitedCircle: Sendable, Hashable {
    fileprivate static let groupLimit = 1_000

    /// The groups that it shares although they are local by default. Nil if the store does not show all statements that the
    /// invitation names: it may have been changed since.
    package let allowedGroups: [String]?

    package init(allowedGroups: [String]?) {
        self.allowedGroups = allowedGroups
    }
}

extension InvitedCircle: KeychainAnswer {
    package static let replyNumber: Int64 = 72

    package func write(to writer: inout FieldWriter) {
        writer.boolean(allowedGroups != nil)
        writer.texts(Array((allowedGroups ?? []).prefix(Self.groupLimit)))
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        let isKnown = try fields.boolean("known")
        let groups = try fields.texts("groups", limit: Self.groupLimit)
        guard isKnown || groups.isEmpty else { throw .badField("groups") }
        allowedGroups = isKnown ? groups : nil
    }
}
