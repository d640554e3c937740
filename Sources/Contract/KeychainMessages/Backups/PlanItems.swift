/// Asks what a backup would hold of the items, without reading any secret.
package struct PlanItems: ListedDeviceQuestion, BareKeychainQuestion {
    package static let number: Int64 = 38
    package static let traits: KeychainTraits = .repeatable

    package init() {}

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [ItemPlanRow] {
        try device.answer(self)
    }
}

/// The items of one group, class and protection class, and where an encrypted backup takes them.
package struct ItemPlanRow: Sendable, Hashable {
    package let accessGroup: String
    package let itemClass: String
    package let accessible: String
    /// "any-device", "this-device", or the reason why no backup holds them.
    package let verdict: String
    package let count: Int64

    package init(accessGroup: String, itemClass: String, accessible: String, verdict: String, count: Int64) {
        self.accessGroup = accessGroup
        self.itemClass = itemClass
        self.accessible = accessible
        self.verdict = verdict
        self.count = count
    }
}

extension ItemPlanRow: ListedKeychainAnswer {
    package static let listNumber: Int64 = 38
    package static let listName = "plan"
    package static let listLimit = 65_536

    package func write(to writer: inout FieldWriter) {
        for text in [accessGroup, itemClass, accessible, verdict] { writer.text(text) }
        writer.integer(count)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        accessGroup = try fields.text("access group")
        itemClass = try fields.text("class")
        accessible = try fields.text("protection class")
        verdict = try fields.text("verdict")
        count = try fields.count("items")
    }
}
