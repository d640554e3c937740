package import LatchkeyEncoding
package import LatchkeyItemModel

/// Items that ended on purpose, the last ones first.
package struct ListEndedItems: ListedDeviceQuestion {
    package static let number: Int64 = 21
    package static let traits: KeychainTraits = .repeatable

    package let limit: Int

    package init(limit: Int) {
        self.limit = limit
    }

    package func write(to writer: inout FieldWriter) {
        writer.integer(Int64(limit))
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        let limit = try fields.integer("limit")
        self.init(limit: Int(min(max(limit, 0), Int64(EndedItem.listLimit))))
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> [EndedItem] {
        try device.answer(self)
    }
}

/// An item that ended. Its names are not kept in the clear; a search for the item tells whether it is one of these.
package struct EndedItem: Sendable, Hashable {
    package let itemClass: String
    package let accessGroup: String
    package let ending: Ending
    package let created: WallTime

    package init(itemClass: String, accessGroup: String, ending: Ending, created: WallTime) {
        self.itemClass = itemClass
        self.accessGroup = accessGroup
        self.ending = ending
        self.created = created
    }
}

extension EndedItem: ListedKeychainAnswer {
    package static let listNumber: Int64 = 21
    package static let listName = "ended items"
    package static let listLimit = 4096

    package func write(to writer: inout FieldWriter) {
        writer.text(itemClass)
        writer.text(accessGroup)
        writer.text(ending.reason.rawValue)
        writer.date(ending.date)
        writer.boolean(ending.isNoticedLater)
        writer.date(created)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        itemClass = try fields.text("class")
        accessGroup = try fields.text("access group")
        let reason = try fields.endReason()
        let date = try fields.date("date")
        ending = Ending(reason, at: date, isNoticedLater: try fields.boolean("noticed later"))
        created = try fields.date("created")
    }
}

extension MessageFields {
    mutating func endReason() throws(MessageCodingFailure) -> EndReason {
        guard let reason = EndReason(rawValue: try text("reason")) else { throw .badField("reason") }
        return reason
    }
}
