import LatchkeyEncoding

/// The string types of ASN.1 that names have.
enum DERText {
    /// Returns the text of an item; nil if it is not a string, or its bytes do not match its type. A NUL inside is an
    /// ordinary character and does not end the text.
    static func string(_ item: DERItem) -> String? {
        switch item.tag {
        case DERTag.utf8String: String(validating: item.content, as: UTF8.self)
        case DERTag.printableString, DERTag.ia5String, DERTag.visibleString, DERTag.numericString:
            ascii(item.content)
        // T61 strings are ISO 8859-1 in practice.
        case DERTag.t61String: String(String.UnicodeScalarView(item.content.map { Unicode.Scalar($0) }))
        case DERTag.bmpString: string(bmp: item.content)
        case DERTag.universalString:
            units(item.content, byteCount: 4).flatMap {
                String(validating: $0, as: UTF32.self)
            }
        default: nil
        }
    }

    /// Decodes two bytes for each unit of UTF-16, as also used by `friendlyName`.
    static func string(bmp bytes: ArraySlice<UInt8>) -> String? {
        units(bytes, byteCount: 2).flatMap {
            String(validating: $0.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
        }
    }

    static func ascii(_ bytes: ArraySlice<UInt8>) -> String? {
        bytes.allSatisfy { $0 < 0x80 } ? String(validating: bytes, as: UTF8.self) : nil
    }

    /// Decodes numbers of two or four bytes, the highest first.
    private static func units(_ bytes: ArraySlice<UInt8>, byteCount: Int) -> [UInt32]? {
        guard bytes.count % byteCount == 0 else { return nil }
        return stride(from: bytes.startIndex, to: bytes.endIndex, by: byteCount).map { start in
            bytes[start..<start + byteCount].reduce(0) { $0 << 8 | UInt32($1) }
        }
    }
}
