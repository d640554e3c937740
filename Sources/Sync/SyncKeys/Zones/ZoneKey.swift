package import LatchkeyCryptoSuite
package import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The key of one zone in one epoch: 32 random bytes from which everything else in the zone is derived.
package struct ZoneKey: Sendable {
    package static let byteCount = 32

    package let secret: SecretBox

    /// Returns nil for another length.
    package init?(_ secret: SecretBox) {
        guard secret.count == Self.byteCount else { return nil }
        self.secret = secret
    }

    package init(from entropy: some Entropy) {
        secret = SecretBox(from: entropy, count: Self.byteCount)
    }
}

/// The secret of a circle: 32 random bytes that are created with the first epoch and never change. Names and digests are
/// derived from it.
package struct CircleSecret: Sendable {
    package static let byteCount = 32

    package let secret: SecretBox

    /// Returns nil for another length.
    package init?(_ secret: SecretBox) {
        guard secret.count == Self.byteCount else { return nil }
        self.secret = secret
    }

    package init(from entropy: some Entropy) {
        secret = SecretBox(from: entropy, count: Self.byteCount)
    }

    /// Compares in constant time.
    package func equals(_ other: CircleSecret) -> Bool { secret.equals(other.secret) }
}

/// The content of the shares of one epoch.
package struct EpochKeys: Sendable {
    package let a: ZoneKey
    package let c: ZoneKey
    package let circleSecret: CircleSecret

    package init(a: ZoneKey, c: ZoneKey, circleSecret: CircleSecret) {
        self.a = a
        self.c = c
        self.circleSecret = circleSecret
    }

    /// Makes the keys of a new epoch.
    /// - Parameter circleSecret: nil in the first epoch.
    package init(from entropy: some Entropy, circleSecret: CircleSecret?) {
        self.init(
            a: ZoneKey(from: entropy), c: ZoneKey(from: entropy),
            circleSecret: circleSecret ?? CircleSecret(from: entropy))
    }
}

extension SecretBox {
    convenience init(from entropy: some Entropy, count: Int) {
        unsafe self.init(count: count) { unsafe entropy.fill($0) }
    }
}
