/// Why bytes are no key, or no key can be made.
package enum KeyFailure: Error, Sendable, Equatable {
    /// Not in the format, damaged, or a point off the curve. The reason is for people and holds no bytes of the key.
    case unreadable(reason: String)
    /// A key of another algorithm or curve, or of a size that is not taken.
    case unsupported(what: String)
    /// The text is encrypted and no passphrase was given.
    case passphraseNeeded
    /// It does not open: wrong passphrase, or damaged.
    case wrongPassphrase
}

/// Why an operation with a key gave no result (Reference 9.7).
package enum KeyOperationFailure: Error, Sendable, Equatable {
    /// This key cannot do this.
    case unsupported
    /// A digest of another length, a plaintext that is too long, a peer on another curve and the like.
    case badInput(reason: String)
    /// Wrong key, wrong algorithm or altered bytes; it is not told which.
    case notDecryptable
    /// The signature is not of this key over these bytes, or is none at all.
    case notSigned
    /// The owner of the private key did not do it: the device is locked, the person cancelled and the like.
    /// `status` is an `OSStatus`.
    case refused(status: Int32, reason: String)
}
