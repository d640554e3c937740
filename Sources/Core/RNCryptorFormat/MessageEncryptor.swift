package import LatchkeyCryptoSuite

/// Writes a message of version 3 in pieces, in constant memory. ``finish(into:)`` ends it, once.
package struct MessageEncryptor: ~Copyable {
    package let header: MessageHeader
    private let cipher: CipherStream
    private let code: CodeStream
    private var isHeaderDue = true
    /// Bytes of an unfinished block, which libcrypto keeps.
    private var waiting = 0

    /// A new message: the salts and the initialisation vector come from `entropy`.
    ///
    /// Derives two keys of a password, which takes some ten milliseconds.
    package init(
        _ credentials: Credentials, entropy: some Entropy = SystemEntropy()
    ) throws(MessageFailure) {
        let header = MessageHeader(credentials.kind, entropy: entropy)
        self.init(keys: try credentials.keys(for: header), header: header)
    }

    /// A message with a header of the caller's: who takes a vector twice with the same key tells the plaintexts' first
    /// difference. The keys are those of the header's salts, if it has salts.
    package init(keys: MessageKeys, header: MessageHeader) {
        precondition(header.version == .three, "only version 3 is written")
        self.init(testOnlyKeys: keys, header: header)
    }

    /// Writes older versions as well.
    init(testOnlyKeys keys: MessageKeys, header: MessageHeader) {
        self.header = header
        cipher = CipherStream(
            key: keys.encryption, initialisationVector: header.initialisationVector, encrypting: true)
        code = CodeStream(key: keys.authentication, header: header)
    }

    /// How many bytes ``update(_:into:)`` gives for so many bytes of plaintext, exactly.
    package func outputByteCount(for plaintextByteCount: Int) -> Int {
        (isHeaderDue ? header.byteCount : 0)
            + (waiting + plaintextByteCount) / MessageSize.blockByteCount * MessageSize.blockByteCount
    }

    /// How many bytes ``finish(into:)`` gives, exactly.
    package var finalByteCount: Int {
        (isHeaderDue ? header.byteCount : 0) + MessageSize.blockByteCount + MessageSize.codeByteCount
    }

    /// Encrypts the next piece of plaintext, of any size, and returns how many bytes were written: the first piece brings
    /// the header along. The output has ``outputByteCount(for:)`` bytes or more and does not overlap the input.
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

    /// Writes what is left, the padding and the code, and returns how many bytes that were.
    /// The output has ``finalByteCount`` bytes or more.
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
