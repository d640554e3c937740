import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Equality tokens: HMAC-SHA256 under the device's search key over table, column and canonical value, cut to 16 bytes.
/// Equal values have equal tokens, so the database finds rows without decrypting them. An attacker who has the
/// files has the search key, also of a locked device, and can test guesses: nothing that depends on a secret has a token.
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

    /// Returns the tokens of the attributes that have one.
    func tokens(of item: StoredItem) -> [AttributeName: [UInt8]] {
        let schema = ItemSchema.of(item.itemClass)
        return item.attributes.reduce(into: [:]) { tokens, attribute in
            guard schema?[attribute.key]?.hasToken ?? false else { return }
            tokens[attribute.key] = token(for: attribute.value, of: attribute.key)
        }
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
