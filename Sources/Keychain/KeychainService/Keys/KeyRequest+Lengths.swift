import LatchkeyEnclaveCore
package import LatchkeyKeychainMessages

extension KeyRequest {
    /// Why no keychain does this, whatever key it is: a part has a length that goes into no message. Nil for everything
    /// else. Told before a request is sent, because a daemon can only say that it cannot read one.
    package var lengthFailure: CallFailure? {
        switch self {
        case .create: nil
        case .sign(let blob, let digest, _):
            MessageCoding.digestByteCounts.contains(digest.count)
                ? Self.failure(ofBlob: blob) : .badDigest(digest.count)
        case .agree(let blob, let peer, _):
            peer.count == MessageCoding.pointByteCount ? Self.failure(ofBlob: blob) : .badPeer
        case .describe(let blob): Self.failure(ofBlob: blob)
        case .signMessage(let blob, let message, let contextString, _):
            if !MessageCoding.messageByteCounts.contains(message.count) {
                .messageTooLong(message.count)
            } else if !MessageCoding.contextStringByteCounts.contains(contextString.count) {
                .contextStringTooLong(contextString.count)
            } else {
                Self.failure(ofBlob: blob)
            }
        case .decapsulate(let blob, let ciphertext, _):
            MessageCoding.ciphertextByteCounts.contains(ciphertext.count)
                ? Self.failure(ofBlob: blob) : .badCiphertext(ciphertext.count)
        }
    }

    /// No key has a longer one.
    private static func failure(ofBlob blob: [UInt8]) -> CallFailure? {
        blob.count <= EnclaveLimits.keyBlobByteCount ? nil : .enclaveKeyGone(.damaged)
    }
}
