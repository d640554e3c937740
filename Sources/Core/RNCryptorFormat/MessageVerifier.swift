import LatchkeySecretMemory

/// A check whether a message is authentic and complete, without its plaintext: for a first pass over a file.
///
/// A ``MessageDecryptor`` opens every message that passes.
package struct MessageVerifier: ~Copyable {
    private let keys: MessageKeys
    private let code: CodeStream
    private var tail = MessageTail()
    /// Bytes of ciphertext so far.
    private var received = 0
    /// The last two blocks of the initialisation vector and the ciphertext: they determine the padding.
    private var end: [UInt8]

    package init(keys: MessageKeys, header: MessageHeader) {
        self.keys = keys
        code = CodeStream(key: keys.authentication, header: header)
        end = header.initialisationVector
    }

    /// Takes the next piece after the header, of any size.
    package mutating func update(_ message: UnsafeRawBufferPointer) {
        var (received, end) = (received, end)
        unsafe tail.take(message) { ciphertext in
            received += ciphertext.count
            unsafe code.update(ciphertext)
            unsafe end.append(contentsOf: ciphertext.suffix(2 * MessageSize.blockByteCount))
            end.removeFirst(max(0, end.count - 2 * MessageSize.blockByteCount))
        }
        (self.received, self.end) = (received, end)
    }

    /// Compares the code in constant time, then checks the padding.
    package consuming func finish() throws(MessageFailure) {
        guard received >= MessageSize.blockByteCount else { throw .tooShort }
        guard code.isCode(tail.bytes) else { throw .notAuthentic }
        guard received.isMultiple(of: MessageSize.blockByteCount) else { throw .badPadding }
        let last = CipherStream(
            key: keys.encryption, initialisationVector: Array(end[..<MessageSize.blockByteCount]), encrypting: false)
        let isPadded = unsafe withUnsafeTemporaryAllocation(byteCount: 2 * MessageSize.blockByteCount, alignment: 8) {
            block in
            defer { unsafe wipe(block) }
            _ = unsafe end[MessageSize.blockByteCount...].withUnsafeBytes { unsafe last.run($0, into: block) }
            return unsafe last.finish(into: block) != nil
        }
        guard isPadded else { throw .badPadding }
    }
}
