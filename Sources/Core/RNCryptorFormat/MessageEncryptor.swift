package import LatchkeyCryptoSuite

/// An encryptor for a message of version 3 in pieces, in constant memory. ``finish(into:)`` ends it, once.
package struct MessageEncryptor: ~Copyable {
    package let header: MessageHeader
    private let cipher: CipherStream
    private let code: CodeStream
    private var isHeaderDue = true
    /// The number of bytes in an incomplete block, which libcrypto keeps.
    private var waiting = 0

    /// Starts a message: the salts and the initialisation vector come from `entropy`.
    ///
    /// Derives two keys from a password, which takes some ten milliseconds.
    package init(
        _ credentials: Credentials, entropy: some Entropy = SystemEntropy()
    ) throws(MessageFailure) {
        let header = MessageHeader(credentials.kind, entropy: entropy)
        self.init(keys: try credentials.keys(for: header), header: header)
    }

    /// Starts a message with the caller's header. A vector that is used twice with the same key reveals the first
    /// difference of the plaintexts. The keys are those of the header's salts, if it has salts.
    package init(keys: MessageKeys, header: MessageHeader) {
        precondition(header.version == .three, "only version 3 is written")
        self.init(testOnlyKeys: keys, header: header)
    }

    /// Also writes older versions.
    init(testOnlyKeys keys: MessageKeys, header: MessageHeader) {
        self.header = header
        cipher = CipherStream(
            key: keys.encryption, initialisationVector: header.initialisationVector, encrypting: true)
        code = CodeStream(key: keys.authentication, header: header)
    }

    /// The exact number of bytes that ``update(_:into:)`` outputs for so many bytes of plaintext.
    package func outputByteCount(for plaintextByteCount: Int) -> Int {
        (isHeaderDue ? header.byteCount : 0)
            + (waiting + plaintextByteCount) / MessageSize.blockByteCount * MessageSize.blockByteCount
    }

    /// The exact number of bytes that ``finish(into:)`` outputs.
    package var finalByteCount: Int {
        (isHeaderDue ? header.byteCount : 0) + MessageSize.blockByteCount + MessageSize.codeByteCount
    }

    /// Encrypts the next piece of plaintext, of any size, and returns the number of bytes written: the first piece also
    /// writes the header. The output has ``outputByteCount(for:)`` bytes or more and does not overlap the input.
    package mutating func update(
        _ plaintext: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) -> Int {
        let expected = outputByteCount(for: plaintext.count)
        precondition(output.count >= expected, "the output has no room for \(expected) bytes")
        var written = unsafe writeHeader(into: output)
        var rest = unsafe plaintext
        while unsafe !rest.isEmpty {
            let piece = unsafe rest.removeFirst(atMost: Piece.byteCount)
            let room = unsafe UnsafeMutableRawBufferPointer(rebasing: output[written...])
            let count = unsafe cipher.run(piece, into: room)
            unsafe code.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
            written += count
        }
        waiting = (waiting + plaintext.count) % MessageSize.blockByteCount
        return written
    }

    /// Writes the rest, the padding and the code, and returns the number of bytes written. The output has
    /// ``finalByteCount`` bytes or more.
    package consuming func finish(into output: UnsafeMutableRawBufferPointer) -> Int {
        let expected = finalByteCount
        precondition(output.count >= expected, "the output has no room for \(expected) bytes")
        let start = unsafe writeHeader(into: output)
        let room = unsafe UnsafeMutableRawBufferPointer(rebasing: output[start...])
        guard let count = unsafe cipher.finish(into: room) else {
            preconditionFailure("libcrypto pads no last block")
        }
        unsafe code.update(UnsafeRawBufferPointer(rebasing: room[..<count]))
        unsafe code.finish(into: UnsafeMutableRawBufferPointer(rebasing: room[count...]))
        return start + count + MessageSize.codeByteCount
    }

    private mutating func writeHeader(into output: UnsafeMutableRawBufferPointer) -> Int {
        guard isHeaderDue else { return 0 }
        isHeaderDue = false
        unsafe output.copyBytes(from: header.bytes)
        return header.byteCount
    }
}
