import LatchkeyAccessControl
import LatchkeyEncoding
package import LatchkeyItemModel
package import LatchkeyPropertyListDER

/// The attributes of an item that the columns of browsers cannot say, or not as they are: what stands in the column
/// `latchkey` of a CSV file (`Docs/Formats/csv-export.md`).
package struct CarriedAttributes: Sendable, Equatable {
    /// Nil: the class that the other columns make.
    package let itemClass: String?
    /// The differences from the item that the other columns make; nil: the item does not have the attribute.
    package let changes: [AttributeName: PropertyValue?]

    package var isEmpty: Bool { itemClass == nil && changes.isEmpty }

    /// The attributes that an import may set, in the order in which they are written.
    private static let names: [AttributeName] = [
        .account, .service, .server, .securityDomain, .protocol, .authenticationType, .port, .path, .label,
        .description, .comment, .generic, .creator, .type, .isInvisible, .isNegative, .hasCustomIcon, .accessible,
        .synchronizable, .accessControl,
    ]
    private static let classes: Set<String> = ["genp", "inet"]

    /// The attributes that have to be carried so that an item is imported with exactly these.
    ///
    /// - Parameters:
    ///   - attributes: as a find returns them.
    ///   - plain: what the other columns make.
    package init(itemClass: String, attributes: [String: PropertyValue], plain: ImportedPassword) {
        let wanted = Self.settable(attributes)
        let isOtherClass = itemClass != plain.itemClass
        let made: [AttributeName: PropertyValue] = isOtherClass ? [:] : plain.plainAttributes
        self.itemClass = isOtherClass ? itemClass : nil
        changes = Set(wanted.keys).union(made.keys).reduce(into: [:]) { changes, name in
            if wanted[name] != made[name] { changes.updateValue(wanted[name], forKey: name) }
        }
    }

    /// Nil if it is not what ``text`` writes.
    package init?(_ text: String) {
        // In ASCII without control characters, every character is a byte.
        guard text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return nil }
        var itemClass: String?
        var changes: [AttributeName: PropertyValue?] = [:]
        for part in text.split(separator: "&") {
            guard let equals = part.firstIndex(of: "=") else { return nil }
            let key = String(part[..<equals])
            let text = part[part.index(after: equals)...]
            if key == "class" {
                guard itemClass == nil, Self.classes.contains(String(text)) else { return nil }
                itemClass = String(text)
                continue
            }
            guard let name = AttributeName(column: key), Self.names.contains(name), changes.index(forKey: name) == nil
            else { return nil }
            guard !text.isEmpty else {
                changes.updateValue(nil, forKey: name)
                continue
            }
            guard let value = Self.value(text, of: name) else { return nil }
            changes.updateValue(value, forKey: name)
        }
        self.itemClass = itemClass
        self.changes = changes
    }

    /// One line of ASCII: `key=type:value` with `&` between them, and bytes that could mean something as `%` and two
    /// hexadecimal digits.
    package var text: String {
        let named = itemClass.map { ["class=\($0)"] } ?? []
        let pairs = Self.names.compactMap { name -> String? in
            guard let change = changes[name] else { return nil }
            return name.rawValue + "=" + (change.map(Self.text) ?? "")
        }
        return (named + pairs).joined(separator: "&")
    }

    /// The attributes of the item that the other columns make, with these changes.
    func applied(to plain: [AttributeName: PropertyValue]) -> [AttributeName: PropertyValue] {
        changes.reduce(into: itemClass == nil ? plain : [:]) { $0[$1.key] = $1.value }
    }

    /// The attributes that an add may name, without those that have their default.
    private static func settable(_ attributes: [String: PropertyValue]) -> [AttributeName: PropertyValue] {
        var found: [AttributeName: PropertyValue] = [:]
        for name in names {
            guard let value = attributes[name], ![.string(""), .integer(0), .boolean(false)].contains(value) else {
                continue
            }
            found[name] = value
        }
        if found[.accessible] == .string(ProtectionClass.whenUnlocked.rawValue) { found[.accessible] = nil }
        // The conditions are bound to the state of this device, not to that of the importing one.
        if let rules = found.removeValue(forKey: .accessControl).flatMap({ AccessControl($0) }), rules.isConstrained {
            found[.accessControl] = rules.marked(asBound: false)?.value
            found[.accessible] = nil
        }
        return found
    }

    private static func text(_ value: PropertyValue) -> String {
        switch value {
        case .string(let text): "text:" + escaped(text)
        case .integer(let number): "int:\(number)"
        case .boolean(let flag): "bool:\(flag)"
        case .data(let bytes), .reference(_, let bytes): "hex:" + Hexadecimal.text(bytes)
        default: ""
        }
    }

    private static func value(_ text: Substring, of name: AttributeName) -> PropertyValue? {
        guard let colon = text.firstIndex(of: ":") else { return nil }
        let content = text[text.index(after: colon)...]
        switch text[..<colon] {
        case "text": return unescaped(content).map { .string($0) }
        case "int": return Int64(content).map { .integer($0) }
        case "bool": return Bool(String(content)).map { .boolean($0) }
        case "hex":
            return Hexadecimal.bytes(from: content.utf8).map { bytes in
                name == .accessControl ? .reference(kind: AccessControl.referenceKind, bytes: bytes) : .data(bytes)
            }
        default: return nil
        }
    }

    private static func escaped(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.isASCII
                && (scalar.properties.isAlphabetic || "0123456789-._~:/@ ".unicodeScalars.contains(scalar))
            if isPlain { result.unicodeScalars.append(scalar) } else { result += "%" + Hexadecimal.text([byte]) }
        }
    }

    private static func unescaped(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(Hexadecimal.value(ofDigit:)),
                let low = rest.popFirst().flatMap(Hexadecimal.value(ofDigit:))
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
