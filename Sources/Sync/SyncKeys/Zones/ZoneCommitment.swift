internal import LatchkeySecretMemory
package import LatchkeySyncCore

/// The commitment of an epoch to its keys, a part of its signed statement. Each receiver compares the keys in its share,
/// so an author cannot give different keys to different receivers.
///
/// That of zone C covers the circle secret, too: two devices with different secrets would give one item two names.
package enum ZoneCommitment {
    /// Computes both commitments.
    package static func commitments(
        to keys: EpochKeys, in circle: CircleIdentifier, _ number: EpochNumber
    ) -> ZoneCommitments {
        ZoneCommitments(
            a: fixed(code(ofA: keys.a, circle, number)),
            c: fixed(code(ofC: keys.c, keys.circleSecret, circle, number)))
    }

    /// Returns true if the epoch commits to this key of zone A.
    static func covers(_ key: ZoneKey, _ circle: CircleIdentifier, _ epoch: Epoch) -> Bool {
        code(ofA: key, circle, epoch.number).equals(SecretBox(copying: epoch.commitments.a.bytes))
    }

    /// Returns true if the epoch commits to this key of zone C and to this circle secret.
    static func covers(
        _ key: ZoneKey, _ circleSecret: CircleSecret, _ circle: CircleIdentifier, _ epoch: Epoch
    ) -> Bool {
        code(ofC: key, circleSecret, circle, epoch.number).equals(SecretBox(copying: epoch.commitments.c.bytes))
    }

    private static func code(ofA key: ZoneKey, _ circle: CircleIdentifier, _ number: EpochNumber) -> SecretBox {
        key.secret.code(info(.a, circle, number))
    }

    /// The circle secret enters as the key of a code of its own, because messages are not secret memory.
    private static func code(
        ofC key: ZoneKey, _ circleSecret: CircleSecret, _ circle: CircleIdentifier, _ number: EpochNumber
    ) -> SecretBox {
        let info = info(.c, circle, number)
        let inner = circleSecret.secret.code(info)
        return key.secret.code(info.adding(unsafe inner.withBytes { unsafe Array($0) }))
    }

    private static func info(_ zone: ZoneClass, _ circle: CircleIdentifier, _ number: EpochNumber) -> SyncInfo {
        SyncInfo(.commitment).adding(circle).adding(number.rawValue).adding(zone)
    }

    private static func fixed(_ code: SecretBox) -> FixedBytes<CommitmentFormat> {
        guard let fixed = FixedBytes<CommitmentFormat>(unsafe code.withBytes { unsafe Array($0) }) else {
            preconditionFailure("HMAC-SHA256 has 32 bytes")
        }
        return fixed
    }
}
