package import LatchkeyAccessControl
package import LatchkeyBackupItems
package import LatchkeyItemModel

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
    package enum Verdict: Sendable, Hashable {
        case known(ItemVerdict)
        /// Rows of a class whose key is not there now: a backup is not made while there are any.
        case locked
        /// Rows that are damaged: no backup holds them.
        case undecodable
    }

    package let accessGroup: String
    package let itemClass: ItemClass
    /// Nil for a row that names a class which no release has.
    package let accessible: ProtectionClass?
    /// For an encrypted backup.
    package let verdict: Verdict
    package let count: Int64

    package init(
        accessGroup: String, itemClass: ItemClass, accessible: ProtectionClass?, verdict: Verdict, count: Int64
    ) {
        self.accessGroup = accessGroup
        self.itemClass = itemClass
        self.accessible = accessible
        self.verdict = verdict
        self.count = count
    }
}

extension ItemPlanRow.Verdict {
    /// As messages and documents name it: "any-device", "this-device", or the reason why no backup holds the items.
    package var text: String {
        switch self {
        case .known(let verdict): verdict.text
        case .locked: ItemVerdict.lockedText
        case .undecodable: ItemVerdict.undecodableText
        }
    }

    package init?(text: String) {
        switch text {
        case ItemVerdict.lockedText: self = .locked
        case ItemVerdict.undecodableText: self = .undecodable
        default:
            guard let verdict = ItemVerdict(text: text) else { return nil }
            self = .known(verdict)
        }
    }

    /// The same for a backup without a password.
    package var withoutPassword: ItemPlanRow.Verdict {
        if case .known(let verdict) = self { .known(verdict.withoutPassword) } else { self }
    }
}

extension ItemPlanRow: ListedKeychainAnswer {
    package static let listNumber: Int64 = 38
    package static let listName = "plan"
    package static let listLimit = 65_536

    package func write(to writer: inout FieldWriter) {
        for text in [accessGroup, itemClass.rawValue, accessible?.rawValue ?? "", verdict.text] { writer.text(text) }
        writer.integer(count)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        accessGroup = try fields.text("access group")
        guard let itemClass = ItemClass(rawValue: try fields.text("class")) else { throw .badField("class") }
        self.itemClass = itemClass
        let accessible = try fields.text("protection class")
        self.accessible = ProtectionClass(rawValue: accessible)
        guard accessible.isEmpty || self.accessible != nil else { throw .badField("protection class") }
        guard let verdict = Verdict(text: try fields.text("verdict")) else { throw .badField("verdict") }
        self.verdict = verdict
        count = try fields.count("items")
    }
}
