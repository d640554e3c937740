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

    /// The epoch of the founder's first statement that has one.
    ///
    /// Others can write an epoch with the first number too: beside the founding, after they were removed. Its key is not everybody's. The
    /// founder cannot, without two statements in one place, which prove that the device runs twice.
    private var firstEpoch: ObjectHash? {
        let founder = graph.statements.first?.statement.author
        return graph.statements.compactMap { verified -> (index: Int, hash: ObjectHash)? in
            guard verified.statement.author == founder, verified.statement.body.epoch != nil else { return nil }
            return (verified.statement.index, verified.hash)
        }.min { ($0.index, $0.hash) < ($1.index, $1.hash) }?.hash
    }
}
