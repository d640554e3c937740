import Foundation

/// Bytes that a vector file holds in hexadecimal.
package struct Hex: Codable, Sendable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil if the text is not hexadecimal of whole bytes.
    package init?(_ text: some StringProtocol) {
        self.init(ascii: Array(text.utf8)[...])
    }

    /// Nil if the letters are not hexadecimal of whole bytes.
    package init?(ascii: ArraySlice<UInt8>) {
        guard ascii.count % 2 == 0 else { return nil }
        // Vector files have megabytes of them.
        let decoded: [UInt8]? = ascii.withUnsafeBufferPointer { letters in
            Self.values.withUnsafeBufferPointer { values in
                var isHexadecimal = true
                let bytes = [UInt8](unsafeUninitializedCapacity: letters.count / 2) { output, count in
                    count = letters.count / 2
                    for index in 0..<count {
                        let high = values[Int(letters[2 * index])]
                        let low = values[Int(letters[2 * index + 1])]
                        if high | low > 15 { isHexadecimal = false }
                        output[index] = high << 4 | low
                    }
                }
                return isHexadecimal ? bytes : nil
            }
        }
        guard let decoded else { return nil }
        bytes = decoded
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let read = Hex(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no hexadecimal")
        }
        self = read
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }

    package var text: String { bytes.map { String(format: "%02x", $0) }.joined() }

    /// The value of each letter; 0xFF for all other bytes.
    private static let values: [UInt8] = (UInt8.min...UInt8.max).map { letter in
        String(UnicodeScalar(letter)).utf8.count == 1 ? UInt8(String(UnicodeScalar(letter)), radix: 16) ?? 0xFF : 0xFF
    }
}
