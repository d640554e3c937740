/// Bytes as letters, digits, `-` and `_`: the base 64 of RFC 4648 for file names, without padding.
enum SealedText {
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        return values
    }()

    static func characterCount(ofBytes count: Int) -> Int { (count * 4 + 2) / 3 }

    static func byteCount(ofCharacters count: Int) -> Int { count * 3 / 4 }

    static func encode(_ bytes: [UInt8]) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(characterCount(ofBytes: bytes.count))
        var (word, count) = (UInt32(0), 0)
        for byte in bytes {
            word = word << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(word >> UInt32(count) & 63)])
            }
        }
        if count > 0 { text.append(digits[Int(word << UInt32(6 - count) & 63)]) }
        return text
    }

    /// Returns nil for anything that ``encode(_:)`` does not make.
    static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(byteCount(ofCharacters: text.count))
        var (word, count) = (UInt32(0), 0)
        for character in text {
            let value = values[Int(character)]
            guard value != 0xFF else { return nil }
            word = word << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: word >> UInt32(count)))
            }
        }
        return word & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }
}
