internal import LatchkeyCryptoSuite
package import LatchkeySecretMemory
package import LatchkeySyncCore

/// The keys that a circle secret gives: one for the names of items, one for the digest of a state.
package struct CircleKeys: Sendable {
    /// The key of HMAC-SHA256 with which the keychain names items: equal on every device of the circle.
    package let nameKey: SecretBox
    /// The same for the digests of contents of zone C.
    package let contentDigestKey: SecretBox
    private let digestKey: SecretBox

    package init(_ secret: CircleSecret, of circle: CircleIdentifier) {
        nameKey = secret.secret.derived(SyncInfo(.name).adding(circle))
        digestKey = secret.secret.derived(SyncInfo(.digest).adding(circle))
        contentDigestKey = secret.secret.derived(SyncInfo(.contentDigest).adding(circle))
    }

    /// Derives the key for the digests of contents of zone A from the first epoch's key of that zone.
    package static func contentDigestKey(_ key: ZoneKey, of circle: CircleIdentifier) -> SecretBox {
        key.secret.derived(SyncInfo(.contentDigest).adding(circle))
    }

    /// Returns the term of an item in the digest of a state.
    /// - Parameter item: name and version of the item, encoded.
    package func digest(of item: [UInt8]) -> StateDigest {
        guard let hash = ObjectHash(HMACSHA256.code(over: item, key: digestKey)) else {
            preconditionFailure("HMAC-SHA256 has 32 bytes")
        }
        return StateDigest(hash)
    }
}
