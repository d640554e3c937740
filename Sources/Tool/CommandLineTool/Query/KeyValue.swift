import LatchkeyEncoding
package import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// One `key=value` of `latchkey item`.
///
/// Keys are raw codes (`acct`) or the names of constants (`account`, `AttrAccount`, `kSecAttrAccount`). Values are text
/// unless they begin with `int:`, `bool:`, `hex:`, `date:` or `text:`; what can only be a truth value or a known name
/// is taken as that (`r_Attributes=true`, `class=generic-password`, `accessible=when-unlocked`).
package struct KeyValue: Sendable, Equatable {
    package let key: String
    package let value: PropertyValue

    /// The reason why a `key=value` cannot be understood. Names the key, never the value.
    package enum Failure: Error, Sendable, Equatable {
        case noEqualsSign
        case unknownKey(String)
        /// The value of a secret key stands in the arguments.
        case secretKey(String)
        case badValue(key: String, expected: String)
    }

    package init(_ text: String) throws(Failure) {
        // As bytes: as a character, a sign with a combining mark behind it is another one.
        guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")), equals != text.startIndex else {
            throw .noEqualsSign
        }
        let name = String(text[..<equals])
        guard let key = ConstantNames.key(from: name) else {
            throw Self.namesOfSecrets.contains(name.lowercased()) ? .secretKey(name) : .unknownKey(name)
        }
        guard !Self.secretKeys.contains(key) else { throw .secretKey(name) }
        self.key = key
        self.value = try Self.value(String(text[text.utf8.index(after: equals)...]), for: key)
    }

    package var pair: QueryPair { QueryPair(key, value) }

    /// The values of these keys are stored as secrets, so they do not belong in arguments, which every process can
    /// read.
    private static let secretKeys = Set(["v_Data"] + AttributeName.secrets.map(\.rawValue))

    /// Words that users write in place of a secret's key. They are not keys, but their values are secrets all the same.
    private static let namesOfSecrets: Set<String> = ["password", "passcode", "passphrase", "secret", "data"]

    private static func value(_ text: String, for key: String) throws(Failure) -> PropertyValue {
        if let typed = try typedValue(text, for: key) { return typed }
        if let constant = ConstantNames.value(ofConstant: text) { return .string(constant) }
        switch key {
        case "class":
            guard let itemClass = itemClass(from: text) else {
                throw .badValue(key: key, expected: "genp, inet, cert, keys or idnt")
            }
            return .string(itemClass)
        case AttributeName.accessible.rawValue:
            guard let code = AccessibleName.code(from: text) else {
                throw .badValue(key: key, expected: AccessibleName.choices)
            }
            return .string(code)
        case "m_Limit":
            if let number = Int64(text) { return .integer(number) }
            return .string(["one": "m_LimitOne", "all": "m_LimitAll"][text.lowercased()] ?? text)
        case AttributeName.synchronizable.rawValue:
            if text.lowercased() == "any" || text == "syna" { return .string("syna") }
            return try boolean(text, for: key)
        case _ where key.hasPrefix("r_"):
            return try boolean(text, for: key)
        case AttributeName.protocol.rawValue:
            return .string(ProtocolName.code(from: text) ?? text)
        default:
            return .string(text)
        }
    }

    private static func typedValue(_ text: String, for key: String) throws(Failure) -> PropertyValue? {
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let content = String(text[text.utf8.index(after: colon)...])
        switch text[..<colon] {
        case "text": return .string(content)
        case "int":
            guard let number = Int64(content) else { throw .badValue(key: key, expected: "int: and a whole number") }
            return .integer(number)
        case "bool": return try boolean(content, for: key)
        case "hex":
            guard let bytes = Hexadecimal.bytes(from: content.utf8) else {
                throw .badValue(key: key, expected: "hex: and pairs of hexadecimal digits")
            }
            return .data(bytes)
        case "date":
            guard let date = CalendarDate.secondsSince2001(content) else {
                throw .badValue(key: key, expected: "date: and a time like 2026-01-31T12:00:00Z")
            }
            return .date(date)
        default: return nil
        }
    }

    private static func boolean(_ text: String, for key: String) throws(Failure) -> PropertyValue {
        switch text.lowercased() {
        case "true", "yes", "1": return .boolean(true)
        case "false", "no", "0": return .boolean(false)
        default: throw .badValue(key: key, expected: "true or false")
        }
    }

    private static func itemClass(from text: String) -> String? {
        let names = [
            "generic-password": "genp", "internet-password": "inet", "certificate": "cert", "key": "keys",
            "identity": "idnt",
        ]
        if names.values.contains(text) { return text }
        return names[text.lowercased()]
    }
}

extension CommandFailure {
    /// A `key=value` that makes no sense.
    package init(_ failure: KeyValue.Failure) {
        switch failure {
        case .noEqualsSign:
            self.init(
                .usage, "An argument is no `key=value`.", advice: "Write for instance `class=genp account=alice`.")
        case .unknownKey(let name):
            self.init(
                .usage, "No key is called \"\(name)\".",
                why: "Keys are the SDK's raw codes (acct) or the names of its constants (account, kSecAttrAccount).")
        case .secretKey(let name):
            self = .secretInArguments(what: "The value of \"\(name)\" stands in the arguments.")
        case .badValue(let key, let expected):
            self.init(.usage, "The value of \"\(key)\" is not understood.", why: "Expected: \(expected).")
        }
    }
}
