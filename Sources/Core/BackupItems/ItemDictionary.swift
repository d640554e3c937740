import LatchkeyAccessControl
import LatchkeyEncoding
package import LatchkeyItemModel
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The plaintext of an item in a backup: the DER dictionary of its attributes with its secret as `v_Data`.
package enum ItemDictionary {
    private static let secretKey = "v_Data"
    private static let attributeByteLimit = 1 << 20

    package enum Failure: Error, Sendable, Hashable {
        /// Not a dictionary in DER, or an attribute that no item has.
        case damaged
        /// A class of items that is bound to another token, or that no release has.
        case unknownClass
    }

    /// The item as a backup has it. The secret is copied from locked memory to locked memory alone.
    package static func encode(_ item: StoredItem, secret: SecretBox?) -> SecretBox {
        var attributes = item.digestedAttributes
        attributes[AttributeName.multiUser.rawValue] = .data([])
        if let digest = item.attributes[.digest] { attributes[AttributeName.digest.rawValue] = digest }
        attributes[AttributeName.accessControl.rawValue] = nil
        var elements = DERWriter.sortedElements(of: attributes)
        var place: Int?
        if let secret {
            let key = DERWriter.encode(.string(secretKey))
            let value = DERWriter.header(tag: DERTag.octetString, byteCount: secret.count)
            let head =
                DERWriter.header(tag: DERTag.sequence, byteCount: key.count + value.count + secret.count) + key + value
            let position = elements.firstIndex { DERWriter.precedes(head, $0) } ?? elements.count
            elements.insert(head, at: position)
            place = position
        }
        let count = elements.reduce(secret?.count ?? 0) { $0 + $1.count }
        let header = DERWriter.header(tag: DERTag.set, byteCount: count)
        return unsafe SecretBox(count: header.count + count) { output in
            var rest = unsafe output
            func put(_ bytes: UnsafeRawBufferPointer) {
                unsafe rest.copyMemory(from: bytes)
                unsafe rest = UnsafeMutableRawBufferPointer(rebasing: rest[bytes.count...])
            }
            unsafe header.withUnsafeBytes { unsafe put($0) }
            for (index, element) in elements.enumerated() {
                unsafe element.withUnsafeBytes { unsafe put($0) }
                if index == place, let secret { unsafe secret.withBytes { unsafe put($0) } }
            }
        }
    }

    /// Reads the item of a table. Dates, digest and group are those of the dictionary; its identifier is not in it.
    package static func decode(
        _ plaintext: SecretBox, of itemClass: ItemClass
    ) throws(Failure) -> (item: StoredItem, secret: SecretBox?) {
        let parts: (rest: [UInt8], secret: SecretBox?)? = unsafe plaintext.withBytes { unsafe split($0) }
        guard let parts, parts.rest.count <= attributeByteLimit,
            case .dictionary(let pairs)? = try? DERReader.decode(
                parts.rest, limits: DERReader.Limits(depth: 4, values: 4096))
        else { throw .damaged }
        return (try item(pairs, itemClass), parts.secret)
    }

    private static func item(
        _ pairs: [String: PropertyValue], _ itemClass: ItemClass
    ) throws(Failure) -> StoredItem {
        guard let schema = ItemSchema.of(itemClass) else { throw .unknownClass }
        func value(_ name: AttributeName) -> PropertyValue? { pairs[name.rawValue] }
        guard case .string(let group)? = value(.accessGroup), !group.isEmpty, group.utf8.count <= 1024,
            !group.utf8.contains(0), UnstorableValue(.string(group)) == nil,
            case .string(let accessible)? = value(.accessible)
        else { throw .damaged }
        guard let protection = ProtectionClass(rawValue: accessible) else { throw .unknownClass }
        func date(_ name: AttributeName) -> Double? {
            guard case .date(let seconds)? = value(name), UnstorableValue.isStorable(date: seconds) else { return nil }
            return seconds
        }
        guard let creation = date(.creationDate), let modification = date(.modificationDate) else { throw .damaged }
        var attributes: [AttributeName: PropertyValue] = [:]
        for attribute in schema.attributes {
            guard let given = value(attribute.name), given != .null else { continue }
            guard UnstorableValue(given) == nil, let stored = attribute.kind.stored(given) else { throw .damaged }
            attributes[attribute.name] = stored
        }
        for part in schema.primaryKey where attributes[part.name] == nil {
            attributes[part.name] = part.defaultValue
        }
        return StoredItem(
            itemClass: itemClass, attributes: attributes, accessGroup: group, accessible: protection,
            accessControl: AccessControl(protection: protection), isSynchronizable: isTrue(value(.synchronizable)),
            creationDate: creation, modificationDate: modification, identifier: [])
    }

    /// True if the dictionary says that the item was deleted.
    package static func isTombstone(_ plaintext: SecretBox) -> Bool {
        guard let parts = unsafe plaintext.withBytes({ unsafe split($0) }),
            case .dictionary(let pairs)? = try? DERReader.decode(parts.rest)
        else { return false }
        return isTrue(pairs[AttributeName.tombstone.rawValue])
    }

    private static func isTrue(_ value: PropertyValue?) -> Bool {
        switch value {
        case .integer(let number)?: number != 0
        case .boolean(let truth)?: truth
        default: false
        }
    }

    /// Takes the element of the secret out of the set, so that it alone need not leave locked memory.
    private static func split(_ bytes: UnsafeRawBufferPointer) -> (rest: [UInt8], secret: SecretBox?)? {
        guard let set = unsafe try? DERHeader(bytes), set.tag == DERTag.set, set.valueCount == bytes.count else {
            return nil
        }
        var rest: [UInt8] = []
        var secret: SecretBox?
        var position = set.count
        while position < bytes.count {
            let all = unsafe UnsafeRawBufferPointer(rebasing: bytes[position...])
            guard let element = unsafe try? DERHeader(all), element.tag == DERTag.sequence else { return nil }
            let content = unsafe UnsafeRawBufferPointer(rebasing: all[element.count..<element.valueCount])
            guard let key = unsafe try? DERHeader(content), key.tag == DERTag.utf8String else { return nil }
            let isSecret = unsafe content[key.count..<key.valueCount].elementsEqual(secretKey.utf8)
            if isSecret {
                let value = unsafe UnsafeRawBufferPointer(rebasing: content[key.valueCount...])
                guard secret == nil, let header = unsafe try? DERHeader(value), header.tag == DERTag.octetString,
                    header.valueCount == value.count
                else { return nil }
                secret = unsafe SecretBox(copying: UnsafeRawBufferPointer(rebasing: value[header.count...]))
            } else {
                unsafe rest.append(contentsOf: all[..<element.valueCount])
            }
            position += element.valueCount
        }
        return (DERHeader.bytes(DERTag.set, contentCount: rest.count) + rest, secret)
    }
}
