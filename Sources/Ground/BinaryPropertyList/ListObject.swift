/// A value of a property list in Apple's binary form (`bplist00`).
package indirect enum ListObject: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    /// Seconds since 2001-01-01 00:00:00 UTC.
    case date(Double)
    case data([UInt8])
    case string(String)
    /// A reference of a keyed archive to one of its objects.
    case uid(Int)
    case array([ListObject])
    case dictionary([String: ListObject])

    package subscript(_ key: String) -> ListObject? {
        guard case .dictionary(let pairs) = self else { return nil }
        return pairs[key]
    }

    package var text: String? {
        guard case .string(let text) = self else { return nil }
        return text
    }

    package var bytes: [UInt8]? {
        guard case .data(let bytes) = self else { return nil }
        return bytes
    }

    package var number: Int64? {
        guard case .integer(let number) = self else { return nil }
        return number
    }

    package var truth: Bool? {
        guard case .boolean(let truth) = self else { return nil }
        return truth
    }

    package var seconds: Double? {
        guard case .date(let seconds) = self else { return nil }
        return seconds
    }

    package var list: [ListObject]? {
        guard case .array(let list) = self else { return nil }
        return list
    }

    package var pairs: [String: ListObject]? {
        guard case .dictionary(let pairs) = self else { return nil }
        return pairs
    }

    package var reference: Int? {
        guard case .uid(let number) = self else { return nil }
        return number
    }
}

/// The reason why bytes are not a valid property list in the binary form.
package enum ListFailure: Error, Sendable, Hashable {
    case damaged
    /// A dictionary has two values under one key.
    case repeatedKey
    /// A whole number does not fit into 64 bits with a sign.
    case wideInteger
    case tooDeep
    case tooManyValues
    case tooLong
    /// The source of the bytes failed.
    case unreadable
}

/// The limits of a reader. A list may name one value in many places, so that a small file stands for a giant list; each
/// place counts.
package struct ListLimits: Sendable {
    package let byteCount: Int
    package let depth: Int
    package let values: Int

    package init(byteCount: Int = 64 << 20, depth: Int = 64, values: Int = 1 << 20) {
        self.byteCount = byteCount
        self.depth = depth
        self.values = values
    }
}
