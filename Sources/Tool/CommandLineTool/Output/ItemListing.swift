import LatchkeyEncoding
import LatchkeyItemModel
package import LatchkeyPropertyListDER
package import LatchkeySecretMemory

/// Items and other results of the keychain, for people and for programs.
package struct ItemListing {
    private let secrets: [SecretBox]

    /// `secrets` are those of the reply that the values come from.
    package init(secrets: [SecretBox]) {
        self.secrets = secrets
    }

    /// Attributes that are meaningless to people; programs get them all.
    private static let hidden: Set<AttributeName> = [
        .accessControl, .multiUser, .digest, .tombstone, .tokenOID, .issuer, .subject,
    ]

    /// One item, one line per attribute.
    package func pieces(item attributes: [String: PropertyValue]) -> [Report.Piece] {
        var pieces: [Report.Piece] = []
        for key in order(attributes) {
            if let name = AttributeName(column: key), Self.hidden.contains(name) { continue }
            guard let value = attributes[key] else { continue }
            let name = ConstantNames.readableName(ofKey: key).map { "\($0) (\(key))" } ?? key
            pieces.append(.text("    \(name): "))
            pieces += self.pieces(value, key: key)
            pieces.append(.text("\n"))
        }
        return pieces
    }

    /// Any result: an item, a list, data, text.
    package func pieces(result: PropertyValue) -> [Report.Piece] {
        switch result {
        case .dictionary(let attributes): [.text("item\n")] + pieces(item: attributes)
        case .array(let values): values.flatMap { pieces(result: $0) }
        default: pieces(result, key: "") + [.text("\n")]
        }
    }

    package func json(_ value: PropertyValue) -> JSONValue {
        switch value {
        case .null: .null
        case .boolean(let flag): .boolean(flag)
        case .integer(let number): .integer(number)
        case .string(let text): .string(text)
        case .data(let bytes): .object([("hex", .string(Hexadecimal.text(bytes)))])
        case .date(let seconds): .string(CalendarDate.text(secondsSince2001: seconds))
        case .array(let values): .array(values.map(json))
        case .dictionary(let attributes):
            .object(order(attributes).map { ($0, attributes[$0].map(json) ?? .null) })
        case .secret(let index): json(secret: index)
        case .reference(let kind, let bytes):
            .object([("kind", .string(kind)), ("hex", .string(Hexadecimal.text(bytes)))])
        }
    }

    /// A secret as a string, or as `{"hex": …}` if its bytes are not UTF-8.
    package func json(secret index: Int) -> JSONValue {
        guard secrets.indices.contains(index) else { return .null }
        let secret = secrets[index]
        guard unsafe secret.withBytes(SecretText.isUTF8) else {
            return .object([("hex", .secret(SecretText.hexadecimal(secret)))])
        }
        return .secret(secret)
    }

    /// `password: "…"` the way `-g` shows it: one line of text as it is, more than that with escapes, and of bytes that are
    /// not text how many they are.
    package func quotedSecret(_ index: Int) -> [Report.Piece] {
        guard secrets.indices.contains(index) else { return [.text("(missing)")] }
        let secret = secrets[index]
        if SecretText.canBeListed(secret) { return [.text("\""), .secret(secret), .text("\"")] }
        guard unsafe secret.withBytes(SecretText.isUTF8) else {
            return [
                .text(
                    "(\(ItemCount.text(secret.count, "byte")), not text: --raw and -o FILE write the secret, --hex shows it)"
                )
            ]
        }
        return [
            .text("\""), .secret(SecretText.escapedForJSON(secret)), .text("\" (escaped; --raw writes it as it is)"),
        ]
    }

    private func pieces(_ value: PropertyValue, key: String) -> [Report.Piece] {
        switch value {
        case .null: [.text("null")]
        case .boolean(let flag): [.text(flag ? "true" : "false")]
        case .integer(let number): [.text(integer(number, key: key))]
        case .data(let bytes)
        where key == AttributeName.applicationTag.rawValue && String(validating: bytes, as: UTF8.self) != nil:
            [.text(JSONWriter.quoted(String(decoding: bytes, as: UTF8.self)))]
        case .string(let text): [.text(JSONWriter.quoted(text) + note(text, key: key))]
        case .data(let bytes): [.text("0x" + Hexadecimal.text(bytes))]
        case .date(let seconds): [.text(CalendarDate.text(secondsSince2001: seconds))]
        case .secret(let index): quotedSecret(index)
        case .reference(let kind, let bytes): [.text("<\(kind), \(ItemCount.text(bytes.count, "byte"))>")]
        case .array(let values):
            [.text("(")] + values.flatMap { [.text(" ")] + pieces($0, key: key) } + [.text(" )")]
        case .dictionary(let attributes):
            [.text("{")]
                + order(attributes).flatMap { key in
                    [.text(" \(key)=")] + pieces(attributes[key] ?? .null, key: key)
                } + [.text(" }")]
        }
    }

    private func integer(_ number: Int64, key: String) -> String {
        let name = AttributeName(column: key)
        if name == .keyClass {
            let halves: [Int64: String] = [0: "public", 1: "private", 2: "symmetric"]
            return halves[number].map { "\(number)  \($0)" } ?? String(number)
        }
        guard [.creator, .type, .protocol].contains(name), number > 0xFFFFFF, number <= 0xFFFF_FFFF else {
            return String(number)
        }
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
        guard bytes.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return String(number) }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }

    private func note(_ text: String, key: String) -> String {
        switch AttributeName(column: key) {
        case .accessible?: AccessibleName.readable(text).map { "  \($0)" } ?? ""
        case .protocol?: ProtocolName.scheme(of: text).map { "  \($0)" } ?? ""
        default: ""
        }
    }

    private static let first: [AttributeName] = [
        .label, .service, .server, .account, .securityDomain, .protocol, .port, .path, .authenticationType,
        .description, .comment,
    ]
    private static let last: [AttributeName] = [.creationDate, .modificationDate, .digest]

    /// The attributes that people look for first, then the rest by code.
    private func order(_ attributes: [String: PropertyValue]) -> [String] {
        let first = ["class"] + Self.first.map(\.rawValue)
        let last = Self.last.map(\.rawValue) + ["v_Data"]
        let middle = attributes.keys.filter { !first.contains($0) && !last.contains($0) }.sorted()
        return (first + middle + last).filter { attributes[$0] != nil }
    }
}
