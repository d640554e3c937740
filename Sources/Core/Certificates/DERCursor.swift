import LatchkeyEncoding

/// One item of DER: its bytes with tag and length, and those between.
struct DERItem {
    let tag: UInt8
    let whole: ArraySlice<UInt8>
    let content: ArraySlice<UInt8>

    /// The items inside; the cursor has to reach its end.
    var parts: DERCursor { DERCursor(content) }
}

/// A cursor over unchecked DER: lengths must be definite, minimal and within the whole. Tags of several bytes do not
/// occur here and are refused.
struct DERCursor {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// Returns the single item that fills the bytes; nil if there is anything else.
    static func only(_ bytes: ArraySlice<UInt8>, tag: UInt8) -> DERItem? {
        var cursor = DERCursor(bytes)
        guard let item = cursor.next(tag), cursor.isAtEnd else { return nil }
        return item
    }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next item.
    var tag: UInt8? { rest.first }

    /// Returns the next item; nil at the end and where the bytes are not an item.
    mutating func next() -> DERItem? {
        let bytes = rest
        guard let tag = bytes.first, tag & 0x1F != 0x1F,
            let header = unsafe try? bytes.lend({ bytes throws(DERHeader.Failure) in unsafe try DERHeader(bytes) })
        else { return nil }
        let content = bytes.startIndex + header.count
        let end = bytes.startIndex + header.valueCount
        rest = bytes[end...]
        return DERItem(tag: tag, whole: bytes[bytes.startIndex..<end], content: bytes[content..<end])
    }

    /// Returns the next item if it has this tag; else the cursor does not move.
    mutating func next(_ tag: UInt8) -> DERItem? {
        self.tag == tag ? next() : nil
    }

    /// Returns true if the bytes are completely valid DER, at most `depth` deep. Strings in pieces, as in BER, are
    /// refused.
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

    /// Encodes tag, length and content.
    static func encode(_ tag: UInt8, _ content: some Collection<UInt8>) -> [UInt8] {
        DERHeader.bytes(tag, contentCount: content.count) + content
    }
}

extension DERTag {
    /// `dNSName` of `GeneralName` (RFC 5280, 4.2.1.6).
    static let hostName = implicit(2)
}
