import LatchkeyEncoding

/// A name of `GeneralNames` (RFC 5280, 4.2.1.6), as far as people and matching need them.
enum AlternativeName: Hashable {
    case emailAddress(String)
    case hostName(String)
    case uniformResourceIdentifier(String)
    /// 4 or 16 bytes.
    case address([UInt8])
    /// Another kind: a directory name, a name that an organisation defined and the like.
    case other(tag: UInt8, content: [UInt8])

    /// Parses the names in their order; returns none if the bytes are not valid.
    static func all(der: ArraySlice<UInt8>) -> [AlternativeName] {
        guard var names = DERCursor.only(der, tag: DERTag.sequence)?.parts else { return [] }
        var found: [AlternativeName] = []
        while !names.isAtEnd {
            guard let item = names.next() else { return [] }
            found.append(AlternativeName(item))
        }
        return found
    }

    private init(_ item: DERItem) {
        let text = DERText.ascii(item.content)
        switch (item.tag, text) {
        case (DERTag.implicit(1), let text?): self = .emailAddress(text)
        case (DERTag.implicit(2), let text?): self = .hostName(text)
        case (DERTag.implicit(6), let text?): self = .uniformResourceIdentifier(text)
        case (DERTag.implicit(7), _) where [4, 16].contains(item.content.count): self = .address(Array(item.content))
        default: self = .other(tag: item.tag, content: Array(item.content))
        }
    }

    /// Nil for names that are not text.
    var text: String? {
        switch self {
        case .emailAddress(let text), .hostName(let text), .uniformResourceIdentifier(let text): text
        case .address(let bytes) where bytes.count == 4: bytes.map { String($0) }.joined(separator: ".")
        case .address(let bytes):
            stride(from: 0, to: bytes.count, by: 2)
                .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
        case .other: nil
        }
    }
}
