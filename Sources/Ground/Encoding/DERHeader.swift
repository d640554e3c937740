/// Tag and length before the content of a value of DER (X.690, 8.1 and 10.1): one byte of tag, and a definite and
/// minimal length.
package struct DERHeader: Sendable, Equatable {
    package enum Failure: Error, Sendable, Equatable {
        /// The bytes end inside the header, or inside the content.
        case truncated
        /// Indefinite, of more bytes than allowed, or not minimal.
        case badLength
    }

    package let tag: UInt8
    /// The length of tag and length: the content begins behind them.
    package let count: Int
    package let contentCount: Int

    /// All bytes of the value.
    package var valueCount: Int { count + contentCount }

    /// Parses the header at the beginning of `bytes`, which must include all of its content; other bytes may follow.
    ///
    /// - Parameter lengthByteLimit: the maximum number of bytes for a length of 128 and more.
    package init(_ bytes: UnsafeRawBufferPointer, lengthByteLimit: Int = 4) throws(Failure) {
        guard bytes.count >= 2 else { throw .truncated }
        var header = 2
        var length = unsafe Int(bytes[1])
        if length >= 0x80 {
            let lengthByteCount = length & 0x7F
            guard lengthByteCount >= 1, lengthByteCount <= lengthByteLimit else { throw .badLength }
            header += lengthByteCount
            guard bytes.count >= header else { throw .truncated }
            length = unsafe bytes[2..<header].reduce(0) { $0 << 8 | Int($1) }
            guard length >= 0x80, length >> (8 * (lengthByteCount - 1)) != 0 else { throw .badLength }
        }
        guard length <= bytes.count - header else { throw .truncated }
        tag = unsafe bytes[0]
        count = header
        contentCount = length
    }

    /// Encodes tag and length of a value with so many bytes of content.
    package static func bytes(_ tag: UInt8, contentCount: Int) -> [UInt8] {
        guard contentCount >= 0x80 else { return [tag, UInt8(contentCount)] }
        var length = contentCount
        var octets: [UInt8] = []
        while length > 0 {
            octets.insert(UInt8(length & 0xFF), at: 0)
            length >>= 8
        }
        return [tag, 0x80 | UInt8(octets.count)] + octets
    }
}
