/// Opens a message in pieces, in constant memory. ``finish(into:)`` ends it, once.
///
/// What ``update(_:into:)`` gives is not checked yet: until ``finish(into:)`` succeeds it may be anything that an
/// attacker wrote. Who can read the message twice runs a ``MessageVerifier`` over it first.
package struct MessageDecryptor: ~Copyable {
    private let cipher: CipherStream
    private let code: CodeStream
    private let isVerified: Bool
    private var tail = MessageTail()
    /// Bytes of ciphertext so far.
    private var received = 0

    /// - parameter isVerified: A ``MessageVerifier`` passed these very bytes, which nobody else can change: they are not
    ///   checked again.
    package init(keys: MessageKeys, header: MessageHeader, isVerified: Bool = false) {
        self.isVerified = isVerified
        cipher = CipherStream(
            key: keys.encryption, initialisationVector: header.initialisationVector, encrypting: false)
        code = CodeStream(key: keys.authentication, header: header)
    }

    /// How many bytes ``update(_:into:)`` gives for so many bytes of the message, exactly.
    package func outputByteCount(for messageByteCount: Int) -> Int {
        let ready = max(0, tail.bytes.count + messageByteCount - MessageSize.codeByteCount)
        return Self.plaintextByteCount(received + ready) - Self.plaintextByteCount(received)
    }

    /// ``finish(into:)`` gives at most so many bytes.
    package static let largestFinalByteCount = MessageSize.blockByteCount

    /// Decrypts the next piece of what follows the header, of any size, and returns how many bytes were written.
    /// The output has ``outputByteCount(for:)`` bytes or more and does not overlap the input.
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

    /// Compares the code in constant time, then decrypts the last block and returns how many bytes that gave, at most 16.
    /// The output has 16 bytes or more; nothing is written unless the message is authentic.
    package consuming func finish(into output: UnsafeMutableRawBufferPointer) throws(MessageFailure) -> Int {
        precondition(output.count >= Self.largestFinalByteCount, "the output has no room for a block")
        guard received >= MessageSize.blockByteCount else { throw .tooShort }
        guard isVerified || code.isCode(tail.bytes) else { throw .notAuthentic }
        guard received.isMultiple(of: MessageSize.blockByteCount), let count = unsafe cipher.finish(into: output) else {
            throw .badPadding
        }
        return count
    }

    /// libcrypto keeps the last whole block, which may be the padding.
    private static func plaintextByteCount(_ ciphertextByteCount: Int) -> Int {
        max(0, ciphertextByteCount - 1) / MessageSize.blockByteCount * MessageSize.blockByteCount
    }
}
