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

    /// The bytes if they are text, else `0x` and their hexadecimal digits.
    package static func shown(_ secret: SecretBox) -> SecretBox {
        isText(secret) ? secret : hexadecimal(secret, prefix: "0x")
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

    /// The inside of a JSON string.
    static func escapedForJSON(_ secret: SecretBox) -> SecretBox {
        unsafe secret.withBytes { bytes in
            let count = unsafe bytes.reduce(0) { $0 + (escape(of: $1)?.utf8.count ?? 1) }
            return unsafe SecretBox(count: count) { room in
                var position = 0
                for index in bytes.indices {
                    let byte = unsafe bytes[index]
                    guard let escape = escape(of: byte) else {
                        unsafe room[position] = byte
                        position += 1
                        continue
                    }
                    for output in escape.utf8 {
                        unsafe room[position] = output
                        position += 1
                    }
                }
            }
        }
    }

    /// How one byte is written in a JSON string, nil if as itself.
    private static func escape(of byte: UInt8) -> String? {
        switch byte {
        case UInt8(ascii: "\""): "\\\""
        case UInt8(ascii: "\\"): "\\\\"
        case 0..<0x20, 0x7F: "\\u00" + Hexadecimal.text([byte])
        default: nil
        }
    }

    /// UTF-8 decoded in place, without a `String` made of the bytes.
    package static func isUTF8(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var decoder = Unicode.UTF8.ForwardParser()
        var iterator = unsafe bytes.makeIterator()
        while true {
            switch unsafe decoder.parseScalar(from: &iterator) {
            case .valid: continue
            case .emptyInput: return true
            case .error: return false
            }
        }
    }
}
