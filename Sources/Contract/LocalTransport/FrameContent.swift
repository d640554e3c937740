import LatchkeySecretMemory

/// The content after the header: the secrets' lengths (32 bits each), the body, the secrets.
enum FrameContent {
    static func write(_ message: WireMessage, to bytes: UnsafeMutableRawBufferPointer) {
        var offset = 0
        for secret in message.secrets {
            unsafe bytes.storeBytes(of: UInt32(secret.count).littleEndian, toByteOffset: offset, as: UInt32.self)
            offset += 4
        }
        unsafe bytes[offset...].copyBytes(from: message.body)
        offset += message.body.count
        for secret in message.secrets {
            unsafe secret.withBytes { unsafe bytes[offset...].copyBytes(from: $0) }
            offset += secret.count
        }
    }

    /// Copies body and secrets. `bytes` has exactly the size that the checked header says.
    static func read(
        _ header: FrameHeader, from bytes: UnsafeRawBufferPointer
    ) throws(TransportFailure) -> WireMessage {
        guard bytes.count == header.contentCount else {
            throw .malformed(.lengthsDisagree(expected: header.contentCount, found: bytes.count))
        }
        let bodyStart = header.secretCount * 4
        let secretsStart = bodyStart + header.bodyCount
        var message = unsafe WireMessage(body: [UInt8](bytes[bodyStart..<secretsStart]))
        // The lengths are checked before memory is allocated for any of the secrets.
        var pieces: [UnsafeRawBufferPointer] = unsafe []
        unsafe pieces.reserveCapacity(header.secretCount)
        var offset = secretsStart
        for index in 0..<header.secretCount {
            let count = unsafe Int(
                UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
            guard count <= bytes.count - offset else {
                throw .malformed(
                    .lengthsDisagree(expected: header.secretsByteCount, found: offset + count - secretsStart))
            }
            unsafe pieces.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
            offset += count
        }
        guard offset == bytes.count else {
            throw .malformed(.lengthsDisagree(expected: header.secretsByteCount, found: offset - secretsStart))
        }
        message.secrets = unsafe SecretBox.copies(of: pieces)
        return message
    }
}
