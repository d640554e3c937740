/// A decryptor for a message in pieces, in constant memory. ``finish(into:)`` ends it, once.
///
/// The output of ``update(_:into:)`` is not authenticated yet: until ``finish(into:)`` succeeds it may be anything that
/// an attacker wrote. A caller that can read the message twice runs a ``MessageVerifier`` over it first.
package struct MessageDecryptor: ~Copyable {
    private let cipher: CipherStream
    private let code: CodeStream
    private let isVerified: Bool
    private var tail = MessageTail()
    /// Bytes of ciphertext so far.
    private var received = 0

    /// - parameter isVerified: A ``MessageVerifier`` accepted exactly these bytes, which no other process can change:
    ///   they are not checked again.
    package init(keys: MessageKeys, header: MessageHeader, isVerified: Bool = false) {
        self.isVerified = isVerified
        cipher = CipherStream(
            key: keys.encryption, initialisationVector: header.initialisationVector, encrypting: false)
        code = CodeStream(key: keys.authentication, header: header)
    }

    /// The exact number of bytes that ``update(_:into:)`` outputs for so many bytes of the message.
    package func outputByteCount(for messageByteCount: Int) -> Int {
        let ready = max(0, tail.bytes.count + messageByteCount - MessageSize.codeByteCount)
        return Self.plaintextByteCount(received + ready) - Self.plaintextByteCount(received)
    }

    /// The maximum output of ``finish(into:)`` in bytes.
    package static let largestFinalByteCount = MessageSize.blockByteCount

    /// Decrypts the next piece after the header, of any size, and returns the number of bytes written. The output has
    /// ``outputByteCount(for:)`` bytes or more and does not overlap the input.
    package mutating func update(
        _ message: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let expected = outputByteCount(for: message.count)
        precondition(output.count >= expected, "the output has no room for \(expected) bytes")
        var written = 0
        var received = received
        unsafe tail.take(message) { ciphertext in
            received += ciphertext.count
            var rest = unsafe ciphertext
            while unsafe !rest.isEmpty {
                let piece = unsafe rest.removeFirst(atMost: Piece.byteCount)
                if !isVerified { unsafe code.update(piece) }
                written += unsafe cipher.run(piece, into: UnsafeMutableRawBufferPointer(rebasing: output[written...]))
            }
        }
        self.received = received
        return written
    }

    /// Compares the code in constant time, then decrypts the last block and returns its length, at most 16. The output
    /// has 16 bytes or more; nothing is written unless the message is authentic.
    package consuming func finish(into output: UnsafeMutableRawBufferPointer) throws(MessageFailure) -> Int {
        precondition(output.count >= Self.largestFinalByteCount, "the output has no room for a block")
        guard received >= MessageSize.blockByteCount else { throw .tooShort }
        guard isVerified || code.isCode(tail.bytes) else { throw .notAuthentic }
        guard received.isMultiple(of: MessageSize.blockByteCount), let count = unsafe cipher.finish(into: output) else {
            throw .badPadding
        }
        return count
    }

    /// The length without the last whole block, which libcrypto keeps because it may be the padding.
    private static func plaintextByteCount(_ ciphertextByteCount: Int) -> Int {
        max(0, ciphertextByteCount - 1) / MessageSize.blockByteCount * MessageSize.blockByteCount
    }
}
