import LatchkeyEncoding
import LatchkeyPlainText
package import LatchkeySecretMemory

/// The bytes of a secret as text: whether they are text, and their forms for people and programs.
package enum SecretText {
    /// True if the bytes are UTF-8 without control characters.
    package static func isText(_ secret: SecretBox) -> Bool {
        unsafe secret.withBytes { bytes in
            let hasControls = unsafe bytes.contains { $0 < 0x20 || $0 == 0x7F }
            return unsafe !hasControls && isUTF8(bytes)
        }
    }

    /// True if the bytes are UTF-8 in which every character can be seen: what may stand in a listing.
    package static func canBeListed(_ secret: SecretBox) -> Bool {
        unsafe secret.withBytes { bytes in
            var hasHidden = false
            let isUTF8 = unsafe forEachScalar(of: bytes) { scalar, _ in
                hasHidden = hasHidden || PlainText.isHidden(scalar)
            }
            return isUTF8 && !hasHidden
        }
    }

    /// True if the bytes are UTF-8 in one line, without control characters but for tabs: what a person types, or a program
    /// writes with one newline behind it.
    package static func isOneLine(_ secret: SecretBox) -> Bool {
        isUTF8(secret, withControls: [UInt8(ascii: "\t")])
    }

    /// True if a terminal shows the bytes, in one line or several, and obeys none of them.
    package static func isForTerminals(_ secret: SecretBox) -> Bool {
        unsafe secret.withBytes { unsafe isShownInLines($0) }
    }

    /// True if the bytes are UTF-8 in which every character can be seen but for tabs and line ends. A carriage return alone
    /// ends no line: what follows it would cover the line.
    package static func isShownInLines(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var hasHidden = false
        var isBehindReturn = false
        let isUTF8 = unsafe forEachScalar(of: bytes) { scalar, _ in
            let isOfLines = scalar.isASCII && lineControls.contains(UInt8(scalar.value))
            if isBehindReturn && scalar != "\n" || PlainText.isHidden(scalar) && !isOfLines { hasHidden = true }
            isBehindReturn = scalar == "\r"
        }
        return isUTF8 && !hasHidden && !isBehindReturn
    }

    /// The control characters of text in several lines.
    package static let lineControls: [UInt8] = [UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r")]

    /// True if the bytes are UTF-8, with no other control characters than these.
    package static func isUTF8(_ secret: SecretBox, withControls allowed: [UInt8]) -> Bool {
        unsafe secret.withBytes { bytes in
            let hasOthers = unsafe bytes.contains { ($0 < 0x20 || $0 == 0x7F) && !allowed.contains($0) }
            return unsafe !hasOthers && isUTF8(bytes)
        }
    }

    /// An input as a secret, without the line end (LF or CRLF) of one line of text. Anything else, several lines or
    /// bytes that are not text, is kept byte for byte.
    package static func withoutLineEnd(_ input: SecretBox) -> SecretBox {
        let count = unsafe input.withBytes { bytes in
            guard unsafe bytes.last == UInt8(ascii: "\n") else { return bytes.count }
            return unsafe bytes.count - (bytes.dropLast().last == UInt8(ascii: "\r") ? 2 : 1)
        }
        guard count < input.count else { return input }
        let line = input.prefix(count)
        return isOneLine(line) ? line : input
    }

    /// Tells whether `-w` ends its output with a newline: behind one line of text, and on a terminal behind any text.
    package static func needsNewline(_ secret: SecretBox, onTerminal isTerminal: Bool) -> Bool {
        if isOneLine(secret) { return true }
        guard isTerminal else { return false }
        return unsafe secret.withBytes { unsafe $0.last != UInt8(ascii: "\n") }
    }

    package static func withNewline(_ secret: SecretBox) -> SecretBox {
        secret.appending(SecretBox(copying: [UInt8(ascii: "\n")]), count: 1)
    }

    package static func hexadecimal(_ secret: SecretBox, prefix: String = "") -> SecretBox {
        unsafe secret.withBytes { bytes in
            unsafe SecretBox(count: prefix.utf8.count + 2 * bytes.count) { room in
                var position = 0
                for byte in prefix.utf8 {
                    unsafe room[position] = byte
                    position += 1
                }
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    unsafe room[position] = Hexadecimal.digit(byte >> 4)
                    unsafe room[position + 1] = Hexadecimal.digit(byte & 15)
                    position += 2
                }
            }
        }
    }

    /// The inside of a JSON string. The bytes must be UTF-8.
    package static func escapedForJSON(_ secret: SecretBox) -> SecretBox {
        unsafe secret.withBytes { bytes in
            var count = 0
            _ = unsafe forEachScalar(of: bytes) { scalar, range in
                count += escape(of: scalar)?.utf8.count ?? range.count
            }
            return unsafe SecretBox(count: count) { room in
                var position = 0
                _ = unsafe forEachScalar(of: bytes) { scalar, range in
                    if let escape = escape(of: scalar) {
                        for output in escape.utf8 {
                            unsafe room[position] = output
                            position += 1
                        }
                        return
                    }
                    for index in range {
                        unsafe room[position] = bytes[index]
                        position += 1
                    }
                }
            }
        }
    }

    /// The escape of a character in a JSON string; nil for one that is written as itself.
    private static func escape(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        default: PlainText.jsonEscape(scalar)
        }
    }

    package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe (try? UTF8Span(validating: bytes.assumingMemoryBound(to: UInt8.self).span)) != nil
    }

    /// UTF-8 decoded in place, without a `String` made of the bytes: each character with where it stands.
    /// - Returns: false if the bytes are not UTF-8; then the characters before the first that is wrong were seen.
    private static func forEachScalar(
        of bytes: UnsafeRawBufferPointer, _ body: (Unicode.Scalar, Range<Int>) -> Void
    ) -> Bool {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = unsafe bytes.makeIterator()
        var position = 0
        while true {
            switch unsafe decoder.parseScalar(from: &iterator) {
            case .valid(let encoded):
                body(Unicode.UTF8.decode(encoded), position..<position + encoded.count)
                position += encoded.count
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
