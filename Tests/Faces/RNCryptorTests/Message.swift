import LatchkeyRNCryptorFormat
import LatchkeySecretMemory

@testable import LatchkeyRNCryptorFormat

/// Whole messages through the interfaces for pieces.
enum Message {
    static let keys = try? MessageKeys(
        encryption: SecretBox(copying: Array(0..<32)), authentication: SecretBox(copying: Array(100..<132)))

    static func header(_ version: MessageHeader.Version, _ kind: CredentialKind) -> MessageHeader {
        let drawn = MessageHeader(kind, entropy: CountingEntropy())
        return MessageHeader(version: version, salts: drawn.salts, initialisationVector: drawn.initialisationVector)
    }

    /// Writes any version, in pieces of the given size.
    static func encrypt(
        _ plaintext: [UInt8], keys: MessageKeys, header: MessageHeader, pieces: Int = .max
    ) -> [UInt8] {
        var encryptor = MessageEncryptor(testOnlyKeys: keys, header: header)
        var message: [UInt8] = []
        for piece in plaintext.pieces(of: pieces) {
            var output = [UInt8](repeating: 0xEE, count: encryptor.outputByteCount(for: piece.count))
            let written = piece.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { encryptor.update(input, into: $0) }
            }
            precondition(written == output.count, "the size was told wrong")
            message += output
        }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: encryptor.finalByteCount, alignment: 8)
        defer { room.deallocate() }
        let written = encryptor.finish(into: room)
        precondition(written == room.count, "the size was told wrong")
        return message + Array(room)
    }

    /// Opens a message in pieces; the keys of its header are made by the caller, or are given.
    static func decrypt(
        _ message: [UInt8], pieces: Int = .max, keys: (MessageHeader) throws(MessageFailure) -> MessageKeys
    ) throws(MessageFailure) -> [UInt8] {
        let header = try header(of: message)
        var decryptor = MessageDecryptor(keys: try keys(header), header: header)
        var plaintext: [UInt8] = []
        for piece in Array(message[header.byteCount...]).pieces(of: pieces) {
            var output = [UInt8](repeating: 0xEE, count: decryptor.outputByteCount(for: piece.count))
            let written = piece.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { decryptor.update(input, into: $0) }
            }
            precondition(written == output.count, "the size was told wrong")
            plaintext += output
        }
        let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)
        defer { room.deallocate() }
        return plaintext + room[..<(try decryptor.finish(into: room))]
    }

    /// The pass that only checks.
    static func verify(
        _ message: [UInt8], pieces: Int = .max, keys: (MessageHeader) throws(MessageFailure) -> MessageKeys
    ) throws(MessageFailure) {
        let header = try header(of: message)
        var verifier = MessageVerifier(keys: try keys(header), header: header)
        for piece in Array(message[header.byteCount...]).pieces(of: pieces) {
            piece.withUnsafeBytes { verifier.update($0) }
        }
        try verifier.finish()
    }

    static func header(of message: [UInt8]) throws(MessageFailure) -> MessageHeader {
        try message.withUnsafeBytes { bytes in
            Result { () throws(MessageFailure) in try MessageHeader(reading: bytes) }
        }.get()
    }

    /// Returns the failure of both ways to read a message: nil if both open it.
    static func failure(_ message: [UInt8], keys: MessageKeys) -> MessageFailure? {
        var failures: [MessageFailure?] = [nil, nil]
        let choose = { (header: MessageHeader) throws(MessageFailure) in
            try header.kind == .keys ? Credentials.keys(keys).keys(for: header) : keys
        }
        do throws(MessageFailure) { _ = try decrypt(message, keys: choose) } catch { failures[0] = error }
        do throws(MessageFailure) { try verify(message, keys: choose) } catch { failures[1] = error }
        precondition(failures[0] == failures[1], "verifying and decrypting disagree: \(failures)")
        return failures[0]
    }
}

extension [UInt8] {
    /// The bytes in pieces of at most `count`.
    func pieces(of count: Int) -> [[UInt8]] {
        stride(from: 0, to: self.count, by: Swift.min(count, Swift.max(self.count, 1))).map { start in
            Array(self[start..<Swift.min(self.count, start + Swift.min(count, self.count))])
        }
    }
}
