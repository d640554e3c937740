import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Equality tokens: HMAC-SHA256 under the device's search key over table, column and canonical value, cut to 16 bytes.
/// Equal values have equal tokens, so the database finds rows without decrypting them.
struct SearchTokens {
    static let byteCount = 16

    let key: SecretBox
    let itemClass: ItemClass

    func token(for value: PropertyValue, of attribute: AttributeName) -> [UInt8] {
        token(over: AttributeKind.canonicalBytes(of: value), column: attribute.rawValue)
    }

    /// Returns the condition that an attribute has a value.
    func condition(_ attribute: AttributeName, is value: PropertyValue) -> (name: AttributeName, token: [UInt8]) {
        (attribute, token(for: value, of: attribute))
    }

    func primaryKey(of item: StoredItem) -> [UInt8] {
        token(over: item.primaryKeyBytes, column: "pk")
    }

    func tokens(of item: StoredItem) -> [AttributeName: [UInt8]] {
        item.attributes.reduce(into: [:]) { $0[$1.key] = token(for: $1.value, of: $1.key) }
    }

    private func token(over value: [UInt8], column: String) -> [UInt8] {
        var message: [UInt8] = []
        message.reserveCapacity(16 + column.utf8.count + value.count)
        message += itemClass.rawValue.utf8
        message.append(0)
        message += column.utf8
        message.append(0)
        message += value
        return Array(HMACSHA256.code(over: message, key: key).prefix(Self.byteCount))
    }
}
