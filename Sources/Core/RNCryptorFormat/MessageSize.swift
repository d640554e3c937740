/// The sizes of messages, known before the first byte is read.
package enum MessageSize {
    package static let blockByteCount = 16
    package static let codeByteCount = 32
    /// The minimum after the header, one block of ciphertext and the code: 48 bytes.
    package static let shortestBody = blockByteCount + codeByteCount
    /// The maximum difference between message and plaintext: header, 1 to 16 bytes of padding, code.
    package static let largestOverhead = MessageHeader.longestByteCount + shortestBody

    /// The exact size of the message for so many bytes of plaintext.
    package static func message(plaintextByteCount: Int, _ kind: CredentialKind) -> Int {
        precondition(plaintextByteCount >= 0, "no plaintext has less than no bytes")
        let blocks = plaintextByteCount / blockByteCount + 1
        return MessageHeader.byteCount(kind) + blocks * blockByteCount + codeByteCount
    }

    /// The possible lengths of the plaintext of a message with so many bytes: the padding decides. Nil if no message
    /// with this header has that size.
    package static func plaintext(messageByteCount: Int, _ header: MessageHeader) -> ClosedRange<Int>? {
        let ciphertext = messageByteCount - header.byteCount - codeByteCount
        guard ciphertext >= blockByteCount, ciphertext.isMultiple(of: blockByteCount) else { return nil }
        return ciphertext - blockByteCount...ciphertext - 1
    }
}
