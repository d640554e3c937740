package import LatchkeyEncoding
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Asks for the versions of items that lost against others and are kept. Needs the passcode, because they are items of every program.
package struct ListConflicts: BareSyncChange {
    package static let number: Int64 = 62
    package static let traits: KeychainTraits = [.ownersAlone, .audited]
    package static let name = "sync-conflicts"

    package let passcode: SecretBox?

    package init(passcode: SecretBox?) {
        self.passcode = passcode
    }

    package func answered(by circle: some CircleAnswers) throws(CircleFailure) -> [ConflictReport] {
        try circle.answer(self)
    }
}

/// A version of an item that lost. It contains no secret.
package struct ConflictReport: Sendable, Hashable {
    package enum Reason: Int64, Sendable, CaseIterable {
        /// A greater version whose author did not have this one.
        case overruled = 1
        /// A deletion on another device.
        case deleted = 2
        /// The joining device and the circle had different items of one name.
        case joined = 3
        /// The user restored another version in its place.
        case replaced = 4
    }

    /// The same between two calls.
    package let number: Int64
    /// "genp" and the like.
    package let itemClass: String
    package let group: String
    package let reason: Reason
    package let kept: WallTime
    /// The attributes by which people know the item, with the raw keys of the SDK. Empty while the item does not open.
    package let attributes: [String: String]
    package let modified: WallTime?
    /// The device that wrote the version, if it is known.
    package let device: [UInt8]?

    package init(
        number: Int64, itemClass: String, group: String, reason: Reason, kept: WallTime, attributes: [String: String],
        modified: WallTime?, device: [UInt8]?
    ) {
        self.number = number
        self.itemClass = itemClass
        self.group = group
        self.reason = reason
        self.kept = kept
        self.attributes = attributes
        self.modified = modified
        self.device = device
    }
}

extension ConflictReport: ListedKeychainAnswer {
    package static let listNumber: Int64 = 62
    package static let listName = "conflicts"
    package static let listLimit = 1_000

    package func write(to writer: inout FieldWriter) {
        writer.integer(number)
        writer.text(itemClass)
        writer.text(group)
        writer.integer(reason.rawValue)
        writer.date(kept)
        writer.value(.dictionary(attributes.mapValues { .string($0) }))
        writer.optionalDate(modified)
        writer.value(device.map { .data($0) } ?? .null)
    }

    package init(from fields: inout MessageFields) throws(MessageCodingFailure) {
        number = try fields.integer("number")
        itemClass = try fields.text("class")
        group = try fields.text("group")
        guard let reason = Reason(rawValue: try fields.integer("reason")) else { throw .badField("reason") }
        self.reason = reason
        kept = try fields.date("kept")
        var attributes: [String: String] = [:]
        for (key, value) in try fields.dictionary("attributes") {
            guard case .string(let text) = value else { throw .badField("attributes") }
            attributes[key] = text
        }
        self.attributes = attributes
        modified = try fields.optionalDate("modified")
        device = try fields.optionalCircleIdentifier("device")
    }
}
