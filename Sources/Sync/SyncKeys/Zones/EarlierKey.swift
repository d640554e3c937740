internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory
internal import LatchkeySyncCore

/// The wrapping of a zone key under that of a later epoch, so that one share gives access to all epochs before it.
struct EarlierKey {
    private let circle: CircleIdentifier
    /// Those of the later epoch. Its hash is not known while it is written.
    private let commitments: ZoneCommitments
    /// The statement of the earlier epoch.
    private let earlier: ObjectHash
    private let zone: ZoneClass

    init(_ earlier: ObjectHash, _ zone: ZoneClass, in circle: CircleIdentifier, under commitments: ZoneCommitments) {
        self.circle = circle
        self.commitments = commitments
        self.earlier = earlier
        self.zone = zone
    }

    func wrapped(_ key: ZoneKey, under later: ZoneKey) -> FixedBytes<WrappedZoneKeyFormat> {
        guard let wrapped = FixedBytes<WrappedZoneKeyFormat>(AESKeyWrap.wrap(key.secret, with: wrappingKey(later)))
        else {
            preconditionFailure("a wrapped key of 32 bytes has 40")
        }
        return wrapped
    }

    /// Returns nil if the bytes were not wrapped for this place. The caller compares the key with the commitment of
    /// its epoch.
    func unwrapped(_ wrapped: FixedBytes<WrappedZoneKeyFormat>, under later: ZoneKey) -> ZoneKey? {
        (try? AESKeyWrap.unwrap(wrapped.bytes, with: wrappingKey(later))).flatMap { ZoneKey($0) }
    }

    private func wrappingKey(_ later: ZoneKey) -> SecretBox {
        later.secret.derived(
            SyncInfo(.earlier).adding(circle).adding(commitments.bytes).adding(zone).adding(earlier.bytes))
    }
}
