package import LatchkeySecretMemory
package import LatchkeySyncCore

/// A reason for which a private key, or the holder of wrapped keys, gave no result.
package enum SyncKeyFailure: Error, Hashable, Sendable {
    /// The key exists, and cannot be used in this lock state.
    case locked
    /// The user has to prove the passcode first.
    case passcodeNeeded
    /// The key no longer exists: it was deleted, or the passcode was removed.
    case gone
    /// The bytes do not belong to this key: they were altered, or made for another one.
    case damaged
    /// The holder of the keys does not answer. The reason is for people.
    case unavailable(reason: String)
}

/// A private key that signs objects: ECDSA with P-256 and SHA-256.
package protocol ObjectSigning: Sendable {
    /// Signs the digest of a message.
    func sign(_ message: [UInt8]) throws(SyncKeyFailure) -> StatementSignature
}

/// The private keys with which shares are opened. The enclave performs the two operations; everything else follows
/// from them.
package protocol ShareReceiving: Sendable {
    var publicKeys: ReceivePublicKeys { get }

    /// Computes the x-coordinate of the point that is shared with a peer.
    func agree(with peer: P256PublicKey) throws(SyncKeyFailure) -> SecretBox

    /// Returns the secret in a ciphertext of ML-KEM-768.
    func decapsulate(_ ciphertext: [UInt8]) throws(SyncKeyFailure) -> SecretBox
}

/// The private keys of a device in a circle.
package protocol SyncIdentity: Sendable {
    var publicKeys: DevicePublicKeys { get }
    /// Signs statements that change membership, recovery or settings; usable after the user has proved the passcode.
    var statementKey: any ObjectSigning { get }
    /// Signs heads, segments, epochs and shares; usable after the first unlock.
    var logKey: any ObjectSigning { get }

    /// Returns the keys with which shares of a zone are opened: those of zone A only on an unlocked device.
    func receiveKeys(of zone: ZoneClass) -> any ShareReceiving
}

extension SyncIdentity {
    package var party: CircleParty { .device(publicKeys.identifier) }
}
