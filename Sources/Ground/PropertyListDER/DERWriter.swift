import LatchkeyEncoding

/// A writer of property lists in DER: dictionaries are SETs of SEQUENCE { key, value } in the order of their encoded
/// bytes.
package struct DERWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Encodes one value.
    package static func encode(_ value: PropertyValue) -> [UInt8] {
        var writer = DERWriter()
        writer.bytes.reserveCapacity(256)
        writer.write(value)
        return writer.bytes
    }

    /// Encodes a dictionary of the pairs that `body` adds, in any order and each key once.
    package static func encodeDictionary(_ body: (_ add: (String, PropertyValue) -> Void) -> Void) -> [UInt8] {
        var writer = DERWriter()
        writer.bytes.reserveCapacity(256)
        writer.write(tag: DERTag.set) { $0.writeElements(body) }
        return writer.bytes
    }

    /// Encodes the elements of a dictionary, sorted as in its SET.
    package static func sortedElements(of dictionary: [String: PropertyValue]) -> [[UInt8]] {
        dictionary.map { key, value in
            var writer = DERWriter()
            writer.bytes.reserveCapacity(64)
            writer.writeElement(key, value)
            return writer.bytes
        }.sorted(by: precedes)
    }

    /// Encodes the SEQUENCE of one key and its encoded value.
    package static func element(key: String, value: [UInt8]) -> [UInt8] {
        var writer = DERWriter()
        writer.write(tag: DERTag.sequence) { inner in
            inner.write(.string(key))
            inner.bytes += value
        }
        return writer.bytes
    }

    /// Encodes the tag and length before `byteCount` content bytes.
    package static func header(tag: UInt8, byteCount: Int) -> [UInt8] {
        var writer = DERWriter()
        writer.bytes.append(tag)
        writer.writeLength(byteCount)
        return writer.bytes
    }

    /// Compares SET elements: bytewise, the shorter first if the other one begins with it.
    package static func precedes(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        one.lexicographicallyPrecedes(other)
    }

    package mutating func write(_ value: PropertyValue) {
        switch value {
        case .null:
            writeShort(tag: DERTag.null, count: 0)
        case .boolean(let truth):
            // Apple writes 1 for true, where X.690 requires 0xFF.
            writeShort(tag: DERTag.boolean, count: 1)
            bytes.append(truth ? 1 : 0)
        case .integer(let number):
            write(integer: number, tag: DERTag.integer)
        case .string(let text):
            var text = text
            text.withUTF8 { unsafe write(tag: DERTag.utf8String, content: UnsafeRawBufferPointer($0)) }
        case .data(let data):
            unsafe data.withUnsafeBytes { unsafe write(tag: DERTag.octetString, content: $0) }
        case .date(let seconds):
            unsafe CalendarTime(secondsSince2001: seconds).generalizedTime.withUnsafeBytes {
                unsafe write(tag: DERTag.generalizedTime, content: $0)
            }
        case .array(let values):
            write(tag: DERTag.sequence) { inner in
                for value in values { inner.write(value) }
            }
        case .dictionary(let dictionary):
            write(tag: DERTag.set) { inner in
                inner.writeElements { add in
                    for (key, value) in dictionary { add(key, value) }
                }
            }
        case .secret(let index):
            write(integer: Int64(index), tag: DERTag.secret)
        case .reference(let kind, let content):
            write(tag: DERTag.reference) { inner in
                inner.write(.string(kind))
                inner.write(.data(content))
            }
        }
    }

    private mutating func write(tag: UInt8, content: UnsafeRawBufferPointer) {
        bytes.append(tag)
        writeLength(content.count)
        unsafe bytes.append(contentsOf: content)
    }

    /// Writes the content first, because its length is not known before. Most content is short, and its length needs one byte.
    private mutating func write(tag: UInt8, _ body: (inout DERWriter) -> Void) {
        let start = bytes.count
        writeShort(tag: tag, count: 0)
        body(&self)
        let count = bytes.count - start - 2
        if count < 0x80 {
            bytes[start + 1] = UInt8(count)
        } else {
            bytes.replaceSubrange(start..<start + 2, with: Self.header(tag: tag, byteCount: count))
        }
    }

    private mutating func writeShort(tag: UInt8, count: Int) {
        bytes.append(tag)
        bytes.append(UInt8(count))
    }

    private mutating func writeElement(_ key: String, _ value: PropertyValue) {
        write(tag: DERTag.sequence) { inner in
            inner.write(.string(key))
            inner.write(value)
        }
    }

    /// Writes the elements of a SET one after the other, and then sorts them.
    private mutating func writeElements(_ body: (_ add: (String, PropertyValue) -> Void) -> Void) {
        let start = bytes.count
        var elements: [Range<Int>] = []
        elements.reserveCapacity(16)
        body { key, value in
            let elementStart = bytes.count - start
            writeElement(key, value)
            elements.append(elementStart..<bytes.count - start)
        }
        // Not all bytes so far: each dictionary of a long answer would copy those before it.
        let written = Array(bytes[start...])
        let order = elements.sorted { written[$0].lexicographicallyPrecedes(written[$1]) }
        guard order != elements else { return }
        bytes.removeSubrange(start...)
        for element in order { bytes += written[element] }
    }

    private mutating func writeLength(_ count: Int) {
        guard count >= 0x80 else {
            bytes.append(UInt8(count))
            return
        }
        let octets = (UInt64.bitWidth - UInt64(count).leadingZeroBitCount + 7) / 8
        bytes.append(0x80 | UInt8(octets))
        for shift in stride(from: (octets - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: count >> shift))
        }
    }

    private mutating func write(integer: Int64, tag: UInt8) {
        var octets = 8
        while octets > 1 {
            let unused = Int64(64 - (octets - 1) * 8)
            let kept = (integer << unused) >> unused
            guard kept == integer else { break }
            octets -= 1
        }
        writeShort(tag: tag, count: octets)
        for shift in stride(from: (octets - 1) * 8, through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: integer >> Int64(shift)))
        }
    }
}
