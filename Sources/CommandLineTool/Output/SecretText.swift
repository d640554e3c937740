import LatchkeyPlainText
package import LatchkeySecretMemory

/// How a secret is shown when somebody asked for it: as the text it is, else in hexadecimal.
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

    /// The bytes if they can be listed, else `0x` and their hexadecimal digits.
    package static func shown(_ secret: SecretBox) -> SecretBox {
        canBeListed(secret) ? secret : hexadecimal(secret, prefix: "0x")
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

    /// How a character is written in a JSON string, nil if as itself.
    private static func escape(of scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "\"": "\\\""
        case "\\": "\\\\"
        default: PlainText.jsonEscape(scalar)
        }
    }

    package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        unsafe forEachScalar(of: bytes) { _, _ in }
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
