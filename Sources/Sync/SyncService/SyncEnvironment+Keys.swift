internal import LatchkeyKeychainService
internal import LatchkeySyncCore
internal import LatchkeySyncKeys

/// Keys that are lent.
extension SyncEnvironment {
    /// The keys with which the keychain names and digests items. Nil before the first unlock, or until a share has come.
    ///
    /// The digest key of zone A comes from the first epoch's key of that zone, which every member has through the epochs after it: it is
    /// equal on all devices, and a locked device does not have it.
    func sharingKeys(allowed groups: Set<GroupName>) -> SharingKeys? {
        guard let keys = keyring.circleKeys else { return nil }
        return SharingKeys(
            device: device.bytes, name: keys.nameKey,
            digestA: firstEpoch.flatMap { keyring.key(of: $0, .a) }.map { CircleKeys.contentDigestKey($0, of: circle) },
            digestC: keys.contentDigestKey, allowedGroups: Set(groups.map { String(decoding: $0.bytes, as: UTF8.self) })
        )
    }

    private var firstEpoch: ObjectHash? {
        graph.statements.compactMap { verified in
            verified.statement.body.epoch.map { (number: $0.number, hash: verified.hash) }
        }.min { ($0.number, $0.hash) < ($1.number, $1.hash) }?.hash
    }
}
