/// Base64 (RFC 4648, section 4), the form of keys and values in the gateway: with padding, without line ends, each text of one value.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
        return values
    }()

    package static func append(_ bytes: some RandomAccessCollection<UInt8>, to text: inout [UInt8]) {
        let alphabet = alphabet
        text.reserveCapacity(text.count + (bytes.count + 2) / 3 * 4)
        var (buffer, bitCount): (UInt32, UInt32) = (0, 0)
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 6 {
                bitCount -= 6
                text.append(alphabet[Int(buffer >> bitCount & 0x3F)])
            }
        }
        guard bitCount > 0 else { return }
        text.append(alphabet[Int(buffer << (6 - bitCount) & 0x3F)])
        for _ in 0..<(bitCount == 2 ? 2 : 1) { text.append(padding) }
    }

    /// Returns nil for what is not exactly the text of a value.
    package static func bytes(of text: [UInt8]) -> [UInt8]? {
        guard text.count.isMultiple(of: 4) else { return nil }
        guard !text.isEmpty else { return [] }
        let values = values
        var end = text.count
        while end > text.count - 2, text[end - 1] == padding { end -= 1 }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var (buffer, bitCount): (UInt32, UInt32) = (0, 0)
        var index = 0
        while index < end {
            let value = values[Int(text[index])]
            guard value < 64 else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bitCount += 6
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> bitCount))
            }
            index += 1
        }
        // The bits that are left over are zero.
        guard buffer & (1 << bitCount - 1) == 0 else { return nil }
        return bytes
    }
}
