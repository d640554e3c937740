import LatchkeyEncoding

/// A name of X.501: attributes in sets, in their order.
struct DistinguishedName {
    struct Attribute {
        /// The content of the object identifier.
        let identifier: [UInt8]
        let value: DERItem
        /// Nil if the value is no text, or not in the encoding that its tag says.
        var text: String? { DERText.string(value) }
    }

    let sets: [[Attribute]]

    /// Nil if the bytes are not one name in DER. Empty sets are refused; an empty name is not.
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

    /// The texts of one kind of attribute, in their order.
    func texts(_ identifier: [UInt8]) -> [String] {
        attributes.filter { $0.identifier == identifier }.compactMap(\.text)
    }

    /// The name with the texts of PrintableString brought to one form: letters of ASCII in upper case, blanks (spaces
    /// and tabs) at both ends removed, several inside made one space.
    ///
    /// Nothing else changes: texts of the other types stand as they are, sets keep their order, tags stay. This is what
    /// Apple's systems do (the comparison of RFC 3280, 4.1.2.4, for the one type that it defined it for), so the bytes
    /// are the same as theirs, and two names that differ in case in a UTF8String are two names.
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
