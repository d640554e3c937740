/// A reason for rejecting bytes as a key, or for not making one.
package enum KeyFailure: Error, Sendable, Equatable {
    /// Not in the format, damaged, or a point off the curve. The reason is for people and contains no bytes of the key.
    case unreadable(reason: String)
    /// A key of another algorithm or curve, or of an unsupported size.
    case unsupported(what: String)
    /// The text is encrypted and no passphrase was given.
    case passphraseNeeded
    /// Not decryptable: wrong passphrase, or damaged.
    case wrongPassphrase
}

/// A reason for which an operation with a key gave no result (Reference 9.7).
package enum KeyOperationFailure: Error, Sendable, Equatable {
    /// The key does not support the operation.
    case unsupported
    /// A digest of another length, a plaintext that is too long, a peer on another curve and the like.
    case badInput(reason: String)
    /// Wrong key, wrong algorithm or altered bytes; the failure does not say which.
    case notDecryptable
    /// The signature does not match this key and these bytes, or is not a valid signature.
    case notSigned
    /// The owner of the private key refused: the device is locked, the person cancelled and the like. `status` is an
    /// `OSStatus`.
    case refused(status: Int32, reason: String)
}
