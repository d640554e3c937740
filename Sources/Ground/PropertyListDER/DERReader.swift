import LatchkeyEncoding

/// A reader of property lists in DER from unchecked bytes.
///
/// Strict, because digests cover the encoding: lengths and integers must be minimal, dictionary keys must be sorted and
/// unique. Only booleans are lenient: any value but zero is true. Depth and number of values are limited.
@safe package struct DERReader {
    package struct Limits: Sendable {
        package let depth: Int
        package let values: Int

        package init(depth: Int = 16, values: Int = 1 << 20) {
            self.depth = depth
            self.values = values
        }
    }

    private let input: UnsafeRawBufferPointer
    private let limits: Limits
    private var position = 0
    private var valuesRead = 0

    /// Decodes the single value that fills `bytes`.
    package static func decode(
        _ bytes: UnsafeRawBufferPointer, limits: Limits = Limits()
    ) throws(DERFailure) -> PropertyValue {
        var reader = unsafe DERReader(input: bytes, limits: limits)
        let value = try reader.readValue(end: bytes.count, depth: 0)
        guard reader.position == bytes.count else { throw .trailingBytes }
        return value
    }

    package static func decode(_ bytes: [UInt8], limits: Limits = Limits()) throws(DERFailure) -> PropertyValue {
        unsafe try bytes.lend { buffer throws(DERFailure) in unsafe try decode(buffer, limits: limits) }
    }

    /// Decodes the dictionary that fills `bytes`, and hands over its pairs in their order. `body` must refuse a key that is
    /// there twice or that it does not know.
    package static func decodeDictionary(
        _ bytes: UnsafeRawBufferPointer, limits: Limits = Limits(),
        _ body: (String, PropertyValue) throws(DERFailure) -> Void
    ) throws(DERFailure) {
        var reader = unsafe DERReader(input: bytes, limits: limits)
        reader.valuesRead = 1
        let (tag, end) = try reader.readHeader(end: bytes.count)
        guard tag == DERTag.set else { throw .unknownTag(tag) }
        try reader.readPairs(end: end, depth: 0, body)
        guard reader.position == bytes.count else { throw .trailingBytes }
    }

    private init(input: UnsafeRawBufferPointer, limits: Limits) {
        unsafe self.input = unsafe input
        self.limits = limits
    }

    private mutating func readValue(end: Int, depth: Int) throws(DERFailure) -> PropertyValue {
        guard depth <= limits.depth else { throw .tooDeep(limit: limits.depth) }
        valuesRead += 1
        guard valuesRead <= limits.values else { throw .tooManyValues(limit: limits.values) }
        let (tag, contentEnd) = try readHeader(end: end)
        switch tag {
        case DERTag.null:
            guard contentEnd == position else { throw .truncated }
            return .null
        case DERTag.boolean:
            guard contentEnd == position + 1 else { throw .badBoolean }
            defer { position = contentEnd }
            return unsafe .boolean(input[position] != 0)
        case DERTag.integer:
            return .integer(try readInteger(end: contentEnd))
        case DERTag.utf8String:
            return .string(try readText(end: contentEnd))
        case DERTag.octetString:
            defer { position = contentEnd }
            return unsafe .data([UInt8](input[position..<contentEnd]))
        case DERTag.generalizedTime:
            defer { position = contentEnd }
            guard let time = unsafe CalendarTime(generalizedTime: input[position..<contentEnd]) else { throw .badDate }
            return .date(time.secondsSince2001)
        case DERTag.sequence:
            var values: [PropertyValue] = []
            // A value has two bytes or more.
            values.reserveCapacity(min((contentEnd - position) / 2, 8))
            while position < contentEnd { values.append(try readValue(end: contentEnd, depth: depth + 1)) }
            return .array(values)
        case DERTag.set:
            return .dictionary(try readDictionary(end: contentEnd, depth: depth))
        case DERTag.secret:
            guard let index = Int(exactly: try readInteger(end: contentEnd)), index >= 0 else {
                throw .integerOutOfRange
            }
            return .secret(index)
        case DERTag.reference:
            return try readReference(end: contentEnd, depth: depth)
        default:
            throw .unknownTag(tag)
        }
    }

    private mutating func readDictionary(end: Int, depth: Int) throws(DERFailure) -> [String: PropertyValue] {
        var dictionary: [String: PropertyValue] = [:]
        try readPairs(end: end, depth: depth) { key, value throws(DERFailure) in
            guard dictionary.updateValue(value, forKey: key) == nil else { throw .duplicateKey }
        }
        return dictionary
    }

    private mutating func readPairs(
        end: Int, depth: Int, _ body: (String, PropertyValue) throws(DERFailure) -> Void
    ) throws(DERFailure) {
        var previous: Range<Int>?
        while position < end {
            let start = position
            let (tag, elementEnd) = try readHeader(end: end)
            guard tag == DERTag.sequence else { throw .unknownTag(tag) }
            guard case .string(let key) = try readValue(end: elementEnd, depth: depth + 1) else { throw .keyNotText }
            let value = try readValue(end: elementEnd, depth: depth + 1)
            guard position == elementEnd else { throw .trailingBytes }
            try body(key, value)
            if let previous, unsafe !input[previous].lexicographicallyPrecedes(input[start..<elementEnd]) {
                throw .keysNotSorted
            }
            previous = start..<elementEnd
        }
    }

    private mutating func readReference(end: Int, depth: Int) throws(DERFailure) -> PropertyValue {
        guard case .string(let kind) = try readValue(end: end, depth: depth + 1),
            case .data(let bytes) = try readValue(end: end, depth: depth + 1), position == end
        else { throw .badReference }
        return .reference(kind: kind, bytes: bytes)
    }

    private mutating func readText(end: Int) throws(DERFailure) -> String {
        defer { position = end }
        let bytes = unsafe UnsafeRawBufferPointer(rebasing: input[position..<end])
        // Most texts are names in ASCII, which every decoder reads alike; checking them costs a call of the runtime for
        // each.
        if unsafe bytes.allSatisfy({ $0 < 0x80 }) { return unsafe String(decoding: bytes, as: UTF8.self) }
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else { throw .textNotUTF8 }
        return text
    }

    private mutating func readInteger(end: Int) throws(DERFailure) -> Int64 {
        let count = end - position
        guard count >= 1 else { throw .truncated }
        guard count <= 8 else { throw .integerOutOfRange }
        let first = unsafe Int8(bitPattern: input[position])
        if count > 1 {
            let second = unsafe Int8(bitPattern: input[position + 1])
            guard !(first == 0 && second >= 0), !(first == -1 && second < 0) else { throw .integerNotMinimal }
        }
        var number = Int64(first)
        for index in position + 1..<max(end, position + 1) { number = unsafe number << 8 | Int64(input[index]) }
        position = end
        return number
    }

    /// Reads tag and length; the content then starts at `position` and ends at the returned offset.
    private mutating func readHeader(end: Int) throws(DERFailure) -> (tag: UInt8, contentEnd: Int) {
        guard position <= end else { throw .truncated }
        let header: DERHeader
        do throws(DERHeader.Failure) {
            header = unsafe try DERHeader(UnsafeRawBufferPointer(rebasing: input[position..<end]))
        } catch {
            throw error == .truncated ? .truncated : .lengthNotMinimal
        }
        position += header.count
        return (header.tag, position + header.contentCount)
    }
}
