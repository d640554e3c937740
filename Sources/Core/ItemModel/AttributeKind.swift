package import LatchkeyPropertyListDER

/// What a column takes and what becomes of it (Reference 5.1). A value that does not fit is `errSecParam`.
package enum AttributeKind: Sendable {
    /// Data, String or Number; comes back as the kind that was given.
    case blob
    /// Data; text becomes UTF-8, a number 4 little-endian bytes.
    case data
    /// Text; data must be UTF-8.
    case string
    /// A number; text stays text unless it is a canonical integer.
    case number
    case date
    /// The 20 bytes of a SHA-1.
    case digest

    /// The value as it is stored, nil if it does not fit.
    package func stored(_ value: PropertyValue) -> PropertyValue? {
        switch (self, value) {
        case (.blob, .data), (.blob, .string), (.blob, .integer), (.data, .data), (.string, .string),
            (.number, .integer):
            return value
        case (.date, .date(let seconds)):
            return UnstorableValue.isStorable(date: seconds) ? value : nil
        case (.data, .string(let text)):
            return .data(Array(text.utf8))
        case (.data, .integer(let number)):
            guard let small = Int32(exactly: number) else { return nil }
            return unsafe .data(withUnsafeBytes(of: small.littleEndian) { unsafe Array($0) })
        case (.string, .data(let bytes)):
            return String(validating: bytes, as: UTF8.self).map { .string($0) }
        case (.number, .boolean(let truth)):
            return .integer(truth ? 1 : 0)
        case (.number, .string(let text)):
            guard let number = Int64(text), String(number) == text else { return value }
            return .integer(number)
        case (.digest, .data(let bytes)):
            return bytes.count == 20 ? value : nil
        default:
            return nil
        }
    }

    /// The bytes two stored values must share to be equal in a search: text and data with the same bytes are the
    /// same value, and so are a number and its decimal text.
    package static func canonicalBytes(of stored: PropertyValue) -> [UInt8] {
        switch stored {
        case .data(let bytes): bytes
        case .string(let text): Array(text.utf8)
        case .integer(let number): Array(String(number).utf8)
        case .boolean(let truth): [truth ? 0x31 : 0x30]
        case .date(let seconds): Array(String(microseconds(seconds)).utf8)
        default: []
        }
    }

    /// Dates are kept and compared to the microsecond.
    package static func microseconds(_ seconds: Double) -> Int64 {
        guard seconds.isFinite, abs(seconds) < 9e12 else { return seconds < 0 ? .min : .max }
        return Int64((seconds * 1_000_000).rounded())
    }
}
