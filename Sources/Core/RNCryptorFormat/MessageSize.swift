/// How long messages are, known before the first byte is read.
package enum MessageSize {
    package static let blockByteCount = 16
    package static let codeByteCount = 32
    /// What follows the header is at least one block of ciphertext and the code: 48 bytes.
    package static let shortestBody = blockByteCount + codeByteCount
    /// What a message has more than its plaintext: header, 1 to 16 bytes of padding, code.
    package static let largestOverhead = MessageHeader.longestByteCount + shortestBody

    /// The exact size of the message of so many bytes of plaintext.
    package static func message(plaintextByteCount: Int, _ kind: CredentialKind) -> Int {
        precondition(plaintextByteCount >= 0, "no plaintext has less than no bytes")
        let blocks = plaintextByteCount / blockByteCount + 1
        return MessageHeader.byteCount(kind) + blocks * blockByteCount + codeByteCount
    }

    /// How long the plaintext of a message of so many bytes can be: the padding tells which.
    /// Nil if no message with this header has that size.
    package static func plaintext(messageByteCount: Int, _ header: MessageHeader) -> ClosedRange<Int>? {
        let ciphertext = messageByteCount - header.byteCount - codeByteCount
        guard ciphertext >= blockByteCount, ciphertext.isMultiple(of: blockByteCount) else { return nil }
        return ciphertext - blockByteCount...ciphertext - 1
    }
}
