import Foundation
import Security

/// A value as an item has it: bytes, and what they are (Docs/Formats/lockbox.md).
struct StoredValue {
    /// Four letters as a number, in the item's attribute `type`.
    enum Kind: UInt32 {
        /// UTF-8, as it is.
        case string = 0x7465_7874  // text
        case data = 0x6461_7461  // data
        case json = 0x6A73_6F6E  // json

        var name: String {
            switch self {
            case .string: "a string"
            case .data: "data"
            case .json: "a Codable value"
            }
        }
    }

    let bytes: Data
    /// Nil for an item that something else than a lockbox has stored.
    let kind: Kind?

    init(bytes: Data, kind: Kind?) {
        self.bytes = bytes
        self.kind = kind
    }

    /// Strings and data are stored as they are, whatever the generic code that has them calls them.
    init(_ value: some Encodable, key: String) throws(LockboxError) {
        switch value {
        case let string as String: self.init(bytes: Data(string.utf8), kind: .string)
        case let data as Data: self.init(bytes: data, kind: .data)
        default:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                self.init(bytes: try encoder.encode(value), kind: .json)
            } catch {
                throw .notEncodable(key: key, reason: Self.reason(error))
            }
        }
    }

    func value<Value: Decodable>(_ type: Value.Type, key: String) throws(LockboxError) -> Value {
        let plain = OptionalContent.type(of: type)
        let wanted: Kind = plain == String.self ? .string : plain == Data.self ? .data : .json
        guard kind == nil || kind == wanted else {
            throw .wrongType(key: key, wanted: Self.name(plain, wanted), found: kind?.name ?? "")
        }
        let found: Any?
        switch wanted {
        case .string: found = String(validating: bytes, as: UTF8.self)
        case .data: found = bytes
        case .json: return try decoded(type, key: key)
        }
        // In this order: no string at all is an optional too.
        guard let found, let value = found as? Value else { throw .damaged(key: key, reason: "it is no UTF-8") }
        return value
    }

    private func decoded<Value: Decodable>(_ type: Value.Type, key: String) throws(LockboxError) -> Value {
        do {
            return try JSONDecoder().decode(type, from: bytes)
        } catch {
            // The error's own words may have parts of the value, and do not say whether the bytes are JSON.
            guard (try? JSONSerialization.jsonObject(with: bytes, options: .fragmentsAllowed)) != nil else {
                throw .damaged(key: key, reason: "it is no JSON")
            }
            throw .wrongType(
                key: key, wanted: Self.name(OptionalContent.type(of: type), .json),
                found: "another Codable value (\(Self.reason(error)))")
        }
    }

    private static func name(_ type: Any.Type, _ kind: Kind) -> String {
        kind == .json ? "\(type)" : kind.name
    }

    /// Where it is and what is wrong; nothing of the value.
    private static func reason(_ error: any Error) -> String {
        let (path, what): ([any CodingKey], String)
        switch error {
        case EncodingError.invalidValue(_, let context): (path, what) = (context.codingPath, "it cannot be written")
        case DecodingError.typeMismatch(let type, let context): (path, what) = (context.codingPath, "no \(type)")
        case DecodingError.valueNotFound(let type, let context): (path, what) = (context.codingPath, "no \(type)")
        case DecodingError.keyNotFound(let key, let context):
            (path, what) = (context.codingPath + [key], "it is missing")
        case DecodingError.dataCorrupted(let context): (path, what) = (context.codingPath, "it is not acceptable")
        default: return "the type refuses it"
        }
        let place = path.map(Self.name).joined(separator: ".")
        return place.isEmpty ? what : "\(place): \(what)"
    }

    /// Of a program's own property. Everything else is an element: the keys of a dictionary belong to the value.
    private static func name(_ key: any CodingKey) -> String {
        let module = String(reflecting: type(of: key)).prefix { $0 != "." }
        let isOwn = module != "Swift" && !module.hasPrefix("Foundation")
        return isOwn && Mirror(reflecting: key).displayStyle == .enum ? key.stringValue : "[]"
    }
}
