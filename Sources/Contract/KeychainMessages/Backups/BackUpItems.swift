import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Asks for the next items of a backup, each sealed under the backup's keys.
///
/// `errSecInteractionNotAllowed` (-25308) while a class of items is locked: the backup would lack them.
package struct BackUpItems: GrantedQuestion {
    package static let number: Int64 = 33
    package static let traits: KeychainTraits = .repeatable

    package let token: [UInt8]
    /// Where the page begins; nil for the first one.
    package let start: ItemPlace?

    package init(_ token: [UInt8], after start: ItemPlace?) {
        self.token = token
        self.start = start
    }

    package func write(to writer: inout FieldWriter) {
        writer.data(token)
        writer.optionalPlace(start)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        try fields.checkNoSecrets("device request")
        token = try fields.backupToken()
        start = try fields.optionalPlace()
    }

    package func answer(by device: some DeviceAnswers) throws(DeviceRefusal) -> BackedUpItems {
        try device.answer(self)
    }
}

/// A place in the order of all items: after this row of this table.
package struct ItemPlace: Sendable, Hashable {
    /// The number of the table, in the order of the schema.
    package let table: Int
    package let row: Int64

    package init(table: Int, row: Int64) {
        self.table = table
        self.row = row
    }
}

/// An item as a backup holds it: `v_Data` and `v_PersistentRef`.
package struct SealedItem: Sendable, Hashable {
    package static let limit = 256
    package static let blobByteLimit = 16 << 20
    /// The most that one message should carry.
    package static let bodyByteLimit = 2 << 20

    package let itemClass: String
    package let blob: [UInt8]
    package let reference: [UInt8]

    package init(itemClass: String, blob: [UInt8], reference: [UInt8]) {
        self.itemClass = itemClass
        self.blob = blob
        self.reference = reference
    }
}

/// A page of items.
package struct BackedUpItems: Sendable, Hashable {
    package let items: [SealedItem]
    /// The items that no backup holds, by reason.
    package let leftOut: [String: Int64]
    /// Nil after the last page.
    package let next: ItemPlace?

    package init(items: [SealedItem], leftOut: [String: Int64], next: ItemPlace?) {
        self.items = items
        self.leftOut = leftOut
        self.next = next
    }
}

extension BackedUpItems: KeychainAnswer {
    package static let replyNumber: Int64 = 33

    package func write(to writer: inout FieldWriter) {
        writer.sealedItems(items)
        writer.counts(leftOut)
        writer.optionalPlace(next)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        items = try fields.sealedItems()
        leftOut = try fields.counts("left out")
        next = try fields.optionalPlace()
    }
}

extension FieldWriter {
    mutating func sealedItems(_ items: [SealedItem]) {
        elements(items) { part, item in
            part.text(item.itemClass)
            // A long one goes beside the body, whose length is limited. It is sealed, and no secret.
            if item.blob.count > SealedItem.bodyByteLimit {
                part.secret(SecretBox(copying: item.blob))
            } else {
                part.data(item.blob)
            }
            part.data(item.reference)
        }
    }

    mutating func optionalPlace(_ place: ItemPlace?) {
        value(place.map { .array([.integer(Int64($0.table)), .integer($0.row)]) } ?? .null)
    }
}

extension MessageFields {
    mutating func sealedItems() throws(MessageCodingFailure) -> [SealedItem] {
        try elements("items", limit: SealedItem.limit) { part throws(MessageCodingFailure) in
            let itemClass = try part.text("class")
            let blob =
                try part.startsWithSecret
                ? unsafe part.secret("item").withBytes { unsafe Array($0) } : part.data("item")
            guard blob.count <= SealedItem.blobByteLimit else { throw .badField("item") }
            return SealedItem(itemClass: itemClass, blob: blob, reference: try part.data("reference"))
        }
    }

    mutating func optionalPlace() throws(MessageCodingFailure) -> ItemPlace? {
        guard var part = try part("place") else { return nil }
        let table = Int(try part.count("table"))
        let row = try part.integer("row")
        try part.finish()
        return ItemPlace(table: table, row: row)
    }
}
