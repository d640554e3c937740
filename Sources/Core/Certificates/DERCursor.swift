/// One item of DER: its bytes with tag and length, and those between.
struct DERItem {
    let tag: UInt8
    let whole: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>

    /// The items inside; none are left over once the cursor is at its end.
    var parts: DERCursor { DERCursor(content) }
}

/// Goes through items of DER that nobody has checked: lengths must be definite, minimal and inside the whole. Tags of
/// several bytes occur in nothing that is read here and are refused.
struct DERCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// The one item that fills the bytes; nil if they are anything else.
    static func only(_ bytes: ArraySlice<UInt8>, tag: UInt8) -> DERItem? {
        var cursor = DERCursor(bytes)
        guard let item = cursor.next(tag), cursor.isAtEnd else { return nil }
        return item
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next item.
    var tag: UInt8? { rest.first }

    /// The next item; nil at the end and where bytes are no item.
    mutating func next() -> DERItem? {
        let bytes = rest
        var position = bytes.startIndex
        guard bytes.count >= 2 else { return nil }
        let tag = bytes[position]
        let first = Int(bytes[position + 1])
        guard tag & 0x1F != 0x1F else { return nil }
        position += 2
        var length = first
        if first >= 0x80 {
            let count = first & 0x7F
            guard (1...4).contains(count), bytes.endIndex - position >= count else { return nil }
            length = bytes[position..<position + count].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80, length >> (8 * (count - 1)) != 0 else { return nil }
            position += count
        }
        guard length <= bytes.endIndex - position else { return nil }
        let end = position + length
        rest = bytes[end...]
        return DERItem(tag: tag, whole: bytes[bytes.startIndex..<end], content: bytes[position..<end])
    }

    /// The next item if it has this tag; else nothing is passed over.
    mutating func next(_ tag: UInt8) -> DERItem? {
        self.tag == tag ? next() : nil
    }

    /// Whether bytes are DER all through, at most `depth` deep. Strings in pieces, as BER has them, are refused.
    static func isWellFormed(_ bytes: ArraySlice<UInt8>, depth: Int) -> Bool {
        var open = [DERCursor(bytes)]
        while let level = open.indices.last {
            guard !open[level].isAtEnd else {
                open.removeLast()
                continue
            }
            guard let item = open[level].next() else { return false }
            guard item.tag & 0x20 != 0 else { continue }
            let isUniversal = item.tag & 0xC0 == 0
            guard !isUniversal || item.tag == DERTag.sequence || item.tag == DERTag.set, open.count < depth else {
                return false
            }
            open.append(item.parts)
        }
        return true
    }

    /// Tag, length and content.
    static func encode(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        guard content.count >= 0x80 else { return [tag, UInt8(content.count)] + content }
        var length = content.count
        var octets: [UInt8] = []
        while length > 0 {
            octets.insert(UInt8(length & 0xFF), at: 0)
            length >>= 8
        }
        return [tag, 0x80 | UInt8(octets.count)] + octets + content
    }
}

/// The tags of X.690 that certificates have.
enum DERTag {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let utf8String: UInt8 = 0x0C
    static let printableString: UInt8 = 0x13
    static let t61String: UInt8 = 0x14
    static let ia5String: UInt8 = 0x16
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let visibleString: UInt8 = 0x1A
    static let numericString: UInt8 = 0x12
    static let universalString: UInt8 = 0x1C
    static let bmpString: UInt8 = 0x1E
    static let sequence: UInt8 = 0x30
    static let set: UInt8 = 0x31
    /// `dNSName` of `GeneralName` (RFC 5280, 4.2.1.6).
    static let hostName = implicit(2)

    /// `[number]`, with items inside.
    static func explicit(_ number: UInt8) -> UInt8 { 0xA0 | number }

    /// `[number]`, with bytes inside.
    static func implicit(_ number: UInt8) -> UInt8 { 0x80 | number }
}
