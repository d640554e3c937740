import LatchkeyEnclaveContract
package import LatchkeyKeychainMessages

extension KeyRequest {
    /// The failure of a request that no key can serve because a part of it does not have a valid length; nil for all
    /// other requests. Checked before a request is sent, because a daemon can only report that it cannot parse such a
    /// request.
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

    /// Returns the failure for a blob that is longer than that of any key.
    private static func failure(ofBlob blob: [UInt8]) -> CallFailure? {
        blob.count <= EnclaveLimits.keyBlobByteCount ? nil : .enclaveKeyGone(.damaged)
    }
}
