/// The forms of a persistent reference (secitem-semantics 6.8).
package enum PersistentReference: Sendable, Hashable {
    /// Class and the item's random UUID: 20 bytes.
    case identifier(ItemClass, [UInt8])
    /// Class and row number: the legacy form of 12 bytes.
    case row(ItemClass, Int64)

    package static let identifierByteCount = 16

    package init?(_ bytes: [UInt8]) {
        guard let itemClass = ItemClass(rawValue: String(decoding: bytes.prefix(4), as: UTF8.self)) else { return nil }
        switch bytes.count {
        case 20: self = .identifier(itemClass, Array(bytes[4...]))
        case 12: self = .row(itemClass, bytes[4...].reduce(0) { $0 << 8 | Int64($1) })
        default: return nil
        }
    }

    package var itemClass: ItemClass {
        switch self {
        case .identifier(let itemClass, _), .row(let itemClass, _): itemClass
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .identifier(let itemClass, let identifier):
            Array(itemClass.rawValue.utf8) + identifier
        case .row(let itemClass, let row):
            unsafe Array(itemClass.rawValue.utf8) + withUnsafeBytes(of: row.bigEndian) { unsafe Array($0) }
        }
    }
}
