package import Foundation
import LatchkeyAccessControl
package import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// The way of a query dictionary into a request. It judges nothing: what it does not know is named by its type, and the
/// service refuses it.
package struct QueryTranslation {
    /// The secrets that `.secret` values of the pairs name by index.
    package private(set) var secrets: [SecretBox] = []
    /// The object under `kSecUseAuthenticationContext`, if it is one; the pair says so.
    package private(set) var context: (any AuthenticationContextObject)?
    /// True if the reference under `kSecValueRef` is an identity.
    private(set) var namesIdentity = false

    /// A query has a dictionary in a list at the most; deeper nesting is not followed.
    private static let depthLimit = 8
    /// The keys whose data is secret.
    private static let secretKeys = Set(["v_Data"] + AttributeName.secrets.map(\.rawValue))
    private static let contextKey = "u_AuthCtx"
    private static let referenceKey = "v_Ref"

    /// The use of a dictionary.
    package enum Role {
        case newItem
        case search
        /// The second dictionary of an update.
        case changes
    }

    package init() {}

    /// The pairs of a dictionary, in no particular order; in place of a reference to an item the attributes that it
    /// stands for.
    package mutating func pairs(of dictionary: NSDictionary, as role: Role = .search) -> [QueryPair] {
        var pairs: [QueryPair] = []
        var reference: AnyObject?
        pairs.reserveCapacity(dictionary.count)
        ObjectRuntime.forEach(in: dictionary) { key, value in
            guard let name = key as? NSString else {
                return pairs.append(QueryPair(key: Self.key(of: key), value: Self.value(of: value, depth: 1)))
            }
            guard let text = name.wellFormedText else {
                return pairs.append(QueryPair(key: UnstorableValue.illFormedText.value, value: .null))
            }
            if let data = value as? NSData, Self.secretKeys.contains(text) {
                pairs.append(QueryPair(text, .secret(secrets.count)))
                unsafe secrets.append(SecretBox(copying: UnsafeRawBufferPointer(start: data.bytes, count: data.length)))
            } else if text == Self.contextKey, let object = value as? any AuthenticationContextObject {
                context = object
                pairs.append(QueryPair(text, .reference(kind: ReferenceKind.context, bytes: [])))
            } else if text == Self.referenceKey {
                reference = value
            } else {
                pairs.append(QueryPair(text, Self.value(of: value, depth: 1)))
            }
        }
        if let reference { expand(reference, as: role, into: &pairs) }
        return pairs
    }

    /// Merges the attributes of a reference under the caller's own (Reference 6.9).
    private mutating func expand(_ reference: AnyObject, as role: Role, into pairs: inout [QueryPair]) {
        guard let attributes = ReferenceAttributes(of: reference, as: role, secrets: &secrets) else {
            return pairs.append(QueryPair(Self.referenceKey, Self.value(of: reference, depth: 1)))
        }
        if reference is SecIdentity { namesIdentity = true }
        let own = Set(pairs.map(\.key))
        for (name, value) in attributes.values where !own.contains(.string(name)) {
            pairs.append(QueryPair(name, value))
        }
        // The changes of an update cannot change the item's class.
        if role != .changes, !own.contains(.string("class")) {
            pairs.append(QueryPair("class", .string(attributes.itemClass)))
        }
    }

    /// Translates a key that is not text: numbers have a meaning to the service, other objects are only named.
    private static func key(of object: AnyObject) -> PropertyValue {
        if let number = object as? NSNumber, case .integer(let integer) = value(of: number) { return .integer(integer) }
        return .reference(kind: typeName(of: object), bytes: [])
    }

    private static func value(of object: AnyObject, depth: Int) -> PropertyValue {
        switch object {
        case let text as NSString:
            return text.wellFormedText.map { .string($0) } ?? UnstorableValue.illFormedText.value
        case let number as NSNumber:
            return value(of: number)
        case let data as NSData:
            return unsafe .data([UInt8](UnsafeRawBufferPointer(start: data.bytes, count: data.length)))
        case let date as NSDate:
            let seconds = date.timeIntervalSinceReferenceDate
            return UnstorableValue.isStorable(date: seconds) ? .date(seconds) : UnstorableValue.dateOutOfRange.value
        case let control as SecAccessControl:
            return control.rules.value
        case let policy as SecPolicy:
            return PolicyReference.value(of: policy.policy)
        case is NSArray, is NSDictionary:
            guard depth < depthLimit else { return .reference(kind: ReferenceKind.tooDeep, bytes: []) }
            return collection(object, depth: depth)
        case is NSNull:
            return .null
        case let identifier as NSUUID:
            return .string(identifier.uuidString)
        default:
            if let identifier = ObjectRuntime.text(ofIdentifier: object) { return .string(identifier as String) }
            return .reference(kind: typeName(of: object), bytes: [])
        }
    }

    private static func collection(_ object: AnyObject, depth: Int) -> PropertyValue {
        if let array = object as? NSArray {
            var values: [PropertyValue] = []
            values.reserveCapacity(array.count)
            ObjectRuntime.forEach(in: array) { values.append(value(of: $0, depth: depth + 1)) }
            return unstorable(in: values)?.value ?? .array(values)
        }
        guard let dictionary = object as? NSDictionary else {
            return .reference(kind: typeName(of: object), bytes: [])
        }
        var values: [String: PropertyValue] = [:]
        var hasOtherKeys = false
        var hasIllFormedKeys = false
        ObjectRuntime.forEach(in: dictionary) { key, element in
            guard let name = key as? NSString else {
                hasOtherKeys = true
                return
            }
            guard let text = name.wellFormedText else {
                hasIllFormedKeys = true
                return
            }
            values[text] = value(of: element, depth: depth + 1)
        }
        if hasIllFormedKeys { return UnstorableValue.illFormedText.value }
        if let unstorable = unstorable(in: values.values) { return unstorable.value }
        // Inside a value a dictionary with other keys than texts has no form of its own.
        return hasOtherKeys ? .reference(kind: typeName(of: object), bytes: []) : .dictionary(values)
    }

    /// The first value that makes a collection unstorable: the service looks at the values of pairs alone.
    private static func unstorable(in values: some Sequence<PropertyValue>) -> UnstorableValue? {
        values.lazy.compactMap { UnstorableValue($0) }.first
    }

    private static func value(of number: NSNumber) -> PropertyValue {
        // By class: the type code "c" can also be a number of one byte.
        if type(of: number) == truthClass { return .boolean(number.boolValue) }
        switch unsafe UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "f"), UInt8(ascii: "d"):
            guard let integer = Int64(exactly: number.doubleValue) else {
                return .reference(kind: ReferenceKind.number, bytes: [])
            }
            return .integer(integer)
        case UInt8(ascii: "Q"):
            guard let integer = Int64(exactly: number.uint64Value) else {
                return .reference(kind: ReferenceKind.number, bytes: [])
            }
            return .integer(integer)
        default:
            return .integer(number.int64Value)
        }
    }

    private static let truthClass: NSNumber.Type = type(of: NSNumber(value: true))

    private static func typeName(of object: AnyObject) -> String {
        String(describing: type(of: object))
    }
}

/// The kinds of `.reference` values that both sides of a call know.
enum ReferenceKind {
    static let context = "LAContext"
    static let number = "CFNumber"
    static let tooDeep = "too deep"
}
