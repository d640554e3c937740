/// One record of a keybag: tag, length, value.
package struct KeybagRecord: Sendable, Equatable {
    package let tag: KeybagTag
    package let value: [UInt8]

    package init(_ tag: KeybagTag, _ value: [UInt8]) {
        self.tag = tag
        self.value = value
    }

    package init(_ tag: KeybagTag, _ number: UInt32) {
        self.init(tag, [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
    }

    /// The encoded record.
    package var bytes: [UInt8] {
        KeybagRecord.bigEndian(tag.rawValue) + KeybagRecord.bigEndian(UInt32(value.count)) + value
    }

    /// Returns the value as a number.
    package func number() throws(KeybagFailure) -> UInt32 {
        guard value.count == 4 else { throw .badLength(tag, expected: [4], found: value.count) }
        return value.reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// Returns the value, if it has one of the given lengths.
    package func bytes(ofLength lengths: Int...) throws(KeybagFailure) -> [UInt8] {
        guard lengths.contains(value.count) else {
            throw .badLength(tag, expected: lengths, found: value.count)
        }
        return value
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

/// Limits of a keybag, checked before it is parsed. Real ones stay below 2 KiB.
package enum KeybagLimits {
    package static let byteCount = 65_536
    package static let records = 1024
    package static let classKeys = 64
    package static let iterations: ClosedRange<UInt32> = 1...1_000_000
    package static let firstRoundIterations: ClosedRange<UInt32> = 1...20_000_000
}

extension [KeybagRecord] {
    /// Splits unchecked bytes into records.
    package init(parsing bytes: [UInt8]) throws(KeybagFailure) {
        guard bytes.count <= KeybagLimits.byteCount else {
            throw .tooLarge(found: bytes.count, limit: KeybagLimits.byteCount)
        }
        self.init()
        var position = 0
        while position < bytes.count {
            guard count < KeybagLimits.records else { throw .tooManyRecords(limit: KeybagLimits.records) }
            guard bytes.count - position >= 8 else { throw .truncated(offset: position) }
            let head = bytes[position..<position + 8]
            let tag = head.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            let length = Int(head.suffix(4).reduce(0) { $0 << 8 | UInt32($1) })
            guard length <= bytes.count - position - 8 else { throw .truncated(offset: position) }
            append(KeybagRecord(KeybagTag(rawValue: tag), [UInt8](bytes[position + 8..<position + 8 + length])))
            position += 8 + length
        }
    }

    /// Returns the only record with this tag, nil if there is none.
    func only(_ tag: KeybagTag) throws(KeybagFailure) -> KeybagRecord? {
        let matches = filter { $0.tag == tag }
        guard matches.count <= 1 else { throw .duplicateRecord(tag) }
        return matches.first
    }

    func required(_ tag: KeybagTag) throws(KeybagFailure) -> KeybagRecord {
        guard let record = try only(tag) else { throw .missingRecord(tag) }
        return record
    }
}
