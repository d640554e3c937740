import LatchkeyEncoding

/// A name of X.501: attributes in sets, in their order.
struct DistinguishedName {
    struct Attribute {
        /// The content of the object identifier.
        let identifier: [UInt8]
        let value: DERItem
        /// Nil if the value is not text, or not in the encoding of its tag.
        var text: String? { DERText.string(value) }
    }

    let sets: [[Attribute]]

    /// Nil if the bytes are not exactly one name in DER. Empty sets are refused; an empty name is not.
    init?(der: ArraySlice<UInt8>) {
        guard var names = DERCursor.only(der, tag: DERTag.sequence)?.parts else { return nil }
        var sets: [[Attribute]] = []
        while !names.isAtEnd {
            guard var pairs = names.next(DERTag.set)?.parts, !pairs.isAtEnd else { return nil }
            var attributes: [Attribute] = []
            while !pairs.isAtEnd {
                guard var pair = pairs.next(DERTag.sequence)?.parts,
                    let identifier = pair.next(DERTag.objectIdentifier), !identifier.content.isEmpty,
                    let value = pair.next(), pair.isAtEnd
                else { return nil }
                attributes.append(Attribute(identifier: Array(identifier.content), value: value))
            }
            sets.append(attributes)
        }
        self.sets = sets
    }

    var attributes: [Attribute] { sets.flatMap { $0 } }

    /// Returns the texts of one kind of attribute, in their order.
    func texts(_ identifier: [UInt8]) -> [String] {
        attributes.filter { $0.identifier == identifier }.compactMap(\.text)
    }

    /// The name with normalised texts of PrintableString: letters of ASCII in upper case, blanks (spaces and tabs) at
    /// both ends removed, several inside replaced by one space.
    ///
    /// Everything else is unchanged: texts of the other types, the order of sets, tags. Apple's systems do the same
    /// (the comparison of RFC 3280, 4.1.2.4, for the one type that it is defined for), so the bytes are the same as
    /// theirs, and two names that differ in case in a UTF8String are two names.
    var normalised: [UInt8] {
        let sets = sets.map { attributes in
            let pairs = attributes.map { attribute in
                let identifier = DERCursor.encode(DERTag.objectIdentifier, attribute.identifier)
                return DERCursor.encode(DERTag.sequence, identifier + Self.normalised(attribute.value))
            }
            return DERCursor.encode(DERTag.set, pairs.joined().map { $0 })
        }
        return DERCursor.encode(DERTag.sequence, sets.joined().map { $0 })
    }

    private static func normalised(_ value: DERItem) -> [UInt8] {
        guard value.tag == DERTag.printableString else { return Array(value.whole) }
        var text: [UInt8] = []
        for word in value.content.split(whereSeparator: { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }) {
            if !text.isEmpty { text.append(UInt8(ascii: " ")) }
            text += word.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 0x20 : $0 }
        }
        return DERCursor.encode(DERTag.printableString, text)
    }
}
