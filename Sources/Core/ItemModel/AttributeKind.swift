import LatchkeyEncoding
package import LatchkeyPropertyListDER

/// The type of a column: the values it accepts and the form they are stored in (Reference 5.1). Any other value is
/// `errSecParam`.
package enum AttributeKind: Sendable {
    /// Data, String or Number; returned as the type that was given.
    case blob
    /// Data; text is converted to UTF-8, a number to 4 little-endian bytes.
    case data
    /// Text; data must be UTF-8.
    case string
    /// A number; text is kept as text unless it is a canonical integer.
    case number
    case date
    /// A SHA-1 digest of 20 bytes.
    case digest

    /// Returns the value in the form it is stored in; nil if the column does not accept it.
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

    /// Returns the bytes by which a search compares two stored values. Text equals data with the same bytes, and a
    /// number equals its decimal text.
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

    /// Dates are stored and compared with a precision of one microsecond.
    package static func microseconds(_ seconds: Double) -> Int64 {
        WallTime(secondsSince2001: seconds).microsecondsSince2001
    }
}
