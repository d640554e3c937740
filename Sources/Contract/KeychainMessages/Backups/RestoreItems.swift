/// Restores items of a backup, or says what would come of them.
package struct RestoreItems: GrantedQuestion {
    package static let number: Int64 = 37
    package static let traits: KeychainTraits = [.changesDevice, .audited]
    package static let name = "restore-items"

    package let token: [UInt8]
    package let isDryRun: Bool
    package let items: [SealedItem]
    /// The access groups whose items are restored; nil for all.
    package let groups: [String]?

    package static let groupLimit = 4096

    package init(_ token: [UInt8], isDryRun: Bool, _ items: [SealedItem], groups: [String]? = nil) {
        self.token = token
        self.isDryRun = isDryRun
        self.items = items
        self.groups = groups
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(token)
        writer.boolean(isDryRun)
        writer.sealedItems(items)
        writer.elements(groups.map { [$0] } ?? []) { part, groups in part.texts(groups) }
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        token = try fields.backupToken()
        isDryRun = try fields.boolean("dry run")
        items = try fields.sealedItems()
        let choices = try fields.elements("groups", limit: 1) { part throws(MessageCodingFailure) in
            try part.texts("groups", limit: Self.groupLimit)
        }
        groups = choices.first
        // Each long item stands beside the body.
        try fields.checkSecretCount(items.count { $0.blob.count > SealedItem.bodyByteLimit }, "items")
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> RestoredItems {
        try device.answer(self)
    }
}

/// The outcome for each item, at the same index.
package struct RestoredItems: Sendable, Hashable {
    package enum Outcome: String, Sendable, CaseIterable {
        case restored
        /// It took the place of an item on the device.
        case replaced
        /// The device has it already.
        case identical
        /// The one on the device stays.
        case kept
        /// It belongs to the device that was backed up.
        case otherDevice
        /// An item of a group that was not chosen.
        case notChosen
        /// No backup brings such an item: a deleted one, or one that stays on its device.
        case ignored
        /// A group that demands a higher assurance level than the caller has.
        case withheld
        case damaged
    }

    package let outcomes: [Outcome]
    /// The access group of each item that was opened; empty for the others.
    package let groups: [String]

    package init(outcomes: [Outcome], groups: [String]) {
        self.outcomes = outcomes
        self.groups = groups
    }
}

extension RestoredItems: KeychainAnswer {
    package static let replyNumber: Int64 = 37

    package func write(to writer: inout FieldWriter) {
        writer.texts(outcomes.map(\.rawValue))
        writer.texts(groups)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        let texts = try fields.texts("outcomes", limit: SealedItem.limit)
        outcomes = texts.compactMap { Outcome(rawValue: $0) }
        guard outcomes.count == texts.count else { throw .badField("outcomes") }
        groups = try fields.texts("groups", limit: SealedItem.limit)
        guard groups.count == outcomes.count else { throw .badField("groups") }
    }
}
