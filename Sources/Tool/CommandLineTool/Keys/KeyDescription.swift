import LatchkeyAccessControl
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyKeyItems
package import LatchkeyPropertyListDER

/// A key's item as it is shown.
package struct KeyDescription {
    private let attributes: [String: PropertyValue]

    package init(_ attributes: [String: PropertyValue]) {
        self.attributes = attributes
    }

    /// `private`, `public` or `symmetric`.
    var half: String {
        switch number(.keyClass) {
        case KeyAttributes.publicClass: "public"
        case KeyAttributes.privateClass: "private"
        default: "symmetric"
        }
    }

    var type: String {
        switch number(.type) {
        case 42: "rsa"
        case 73: "ec"
        case let other?: String(other)
        case nil: "unknown"
        }
    }

    var isInEnclave: Bool { attributes[.tokenID] == .string(EnclaveItem.token) }

    /// The key's own rules: those of the enclave for its keys.
    var rules: AccessControl? {
        attributes[.accessControl].flatMap { AccessControl($0) }
    }

    var protection: String? {
        if let rules { return rules.protection.rawValue }
        if case .string(let code)? = attributes[.accessible] { return code }
        return nil
    }

    private var conditions: [String] {
        guard let rules else { return [] }
        return ConditionName.allCases.filter { rules.flags.contains($0.flag) }.map(\.rawValue)
    }

    package var line: String {
        let name = text(.label).map { JSONWriter.quoted($0) } ?? "(no label)"
        let kind = "\(half) \(type) \(number(.keySizeInBits) ?? 0)"
        let place = isInEnclave ? "enclave" : "keychain"
        let word = rules?.flags.contains(.or) == true ? " or " : " and "
        let asks = conditions.isEmpty ? "" : ", asks for " + conditions.joined(separator: word)
        var line = "\(identifier)  \(kind), \(place)  \(name)\n"
        if let tag = text(.applicationTag), !tag.isEmpty { line += "    tag: \(JSONWriter.quoted(tag))\n" }
        let code = protection ?? "?"
        return line + "    protection: \(AccessibleName.readable(code) ?? code)\(asks)"
    }

    package var json: JSONValue {
        .object([
            ("id", .string(identifier)), ("kind", .string(half)), ("type", .string(type)),
            ("bits", .integer(number(.keySizeInBits) ?? 0)), ("where", .string(isInEnclave ? "enclave" : "keychain")),
            ("label", json(.label)), ("tag", json(.applicationTag)),
            ("protection", protection.map(JSONValue.string) ?? .null),
            ("requires", .array(conditions.map(JSONValue.string))),
            ("any", .boolean(rules?.flags.contains(.or) ?? false)),
            ("accessGroup", json(.accessGroup)),
        ])
    }

    private var identifier: String {
        if case .data(let bytes)? = attributes[.applicationLabel] { Hexadecimal.text(bytes) } else { "-" }
    }

    private func number(_ key: AttributeName) -> Int64? {
        switch attributes[key] {
        case .integer(let number)?: number
        case .string(let text)?: Int64(text)
        default: nil
        }
    }

    /// An attribute that programs store as text or as the bytes of one.
    private func text(_ key: AttributeName) -> String? {
        switch attributes[key] {
        case .string(let text)?: text
        case .data(let bytes)?: String(validating: bytes, as: UTF8.self) ?? "0x" + Hexadecimal.text(bytes)
        case .integer(let number)?: String(number)
        default: nil
        }
    }

    private func json(_ key: AttributeName) -> JSONValue {
        guard let value = attributes[key] else { return .null }
        guard case .data(let bytes) = value, let text = String(validating: bytes, as: UTF8.self) else {
            return ItemListing(secrets: []).json(value)
        }
        return .string(text)
    }
}
