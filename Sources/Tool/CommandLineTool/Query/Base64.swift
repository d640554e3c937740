import Foundation

/// Bytes as the text of RFC 4648, in one line.
package enum Base64 {
    package static func text(_ bytes: [UInt8]) -> String {
        Data(bytes).base64EncodedString()
    }

    /// Decodes base64; nil for other text. Blanks and line ends do not count.
    package static func bytes(from text: [UInt8]) -> [UInt8]? {
        let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
        return Data(base64Encoded: Data(text.filter { !blanks.contains($0) })).map { Array($0) }
    }
}
