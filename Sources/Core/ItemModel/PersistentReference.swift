import LatchkeyPropertyListDER

/// The forms of a persistent reference (Reference 6.8).
package enum PersistentReference: Sendable, Hashable {
    /// The class and the item's identifier: 20 bytes.
    case identifier(ItemClass, [UInt8])
    /// The class and the row number: the legacy form of 12 bytes.
    case row(ItemClass, Int64)
    /// The class, the token and the token's object.
    case token(ItemClass, identifier: String, object: [UInt8])

    /// The first bytes of the third form, in place of a class.
    private static let tokenMark = "tkpr"

    package static let identifierByteCount = 16
    /// The number of random bytes that follow the row number in an identifier.
    package static let randomByteCount = 8

    /// Returns the identifier of a new item. It begins with the row number, so that the row is found without an index;
    /// the random bytes make it unique.
    /// - Parameter random: ``randomByteCount`` bytes.
    package static func identifier(ofRow number: Int64, random: [UInt8]) -> [UInt8] {
        unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) } + random
    }

    /// Returns the row number that an identifier begins with. For an item from another keychain that row does not exist
    /// or is a different item.
    package static func row(ofIdentifier identifier: [UInt8]) -> Int64 {
        identifier.prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }

    package init?(_ bytes: [UInt8]) {
        if bytes.prefix(4).elementsEqual(Self.tokenMark.utf8) {
            self.init(tokenForm: Array(bytes.dropFirst(4)))
            return
        }
        guard let itemClass = ItemClass(rawValue: String(decoding: bytes.prefix(4), as: UTF8.self)) else { return nil }
        switch bytes.count {
        case 20: self = .identifier(itemClass, Array(bytes[4...]))
        case 12: self = .row(itemClass, bytes[4...].reduce(0) { $0 << 8 | Int64($1) })
        default: return nil
        }
    }

    private init?(tokenForm bytes: [UInt8]) {
        guard case .array(let parts)? = try? DERReader.decode(bytes), parts.count == 3,
            case .string(let name) = parts[0], let itemClass = ItemClass(rawValue: name),
            case .string(let token) = parts[1], case .data(let object) = parts[2]
        else { return nil }
        self = .token(itemClass, identifier: token, object: object)
    }

    package var itemClass: ItemClass {
        switch self {
        case .identifier(let itemClass, _), .row(let itemClass, _), .token(let itemClass, _, _): itemClass
        }
    }

    /// Returns the reference to the same item under another class: the reference of an identity is that of its
    /// certificate.
    package func of(_ itemClass: ItemClass) -> PersistentReference {
        switch self {
        case .identifier(_, let identifier): .identifier(itemClass, identifier)
        case .row(_, let row): .row(itemClass, row)
        case .token(_, let identifier, let object): .token(itemClass, identifier: identifier, object: object)
        }
    }

    package var bytes: [UInt8] {
        switch self {
        case .identifier(let itemClass, let identifier):
            Array(itemClass.rawValue.utf8) + identifier
        case .row(let itemClass, let row):
            unsafe Array(itemClass.rawValue.utf8) + withUnsafeBytes(of: row.bigEndian) { unsafe Array($0) }
        case .token(let itemClass, let identifier, let object):
            Array(Self.tokenMark.utf8)
                + DERWriter.encode(.array([.string(itemClass.rawValue), .string(identifier), .data(object)]))
        }
    }
}
