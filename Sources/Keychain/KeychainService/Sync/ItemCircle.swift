import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import LatchkeyThreading

/// The circle of this device, as far as the writers of rows need it: names items and digests their content while the
/// keys for that are lent.
final class ItemCircle: Sendable {
    private struct Loan {
        let epoch: UInt64
        let keys: SharingKeys
    }

    private let enclave: any EnclaveMailbox
    private let loan = ForkMutex<Loan?>(nil)

    init(enclave: any EnclaveMailbox) {
        self.enclave = enclave
    }

    /// Lends keys until the enclave's keys change. Nil takes them back.
    func lend(_ keys: SharingKeys?, since epoch: UInt64) {
        loan.withLock { $0 = keys.map { Loan(epoch: epoch, keys: $0) } }
    }

    /// Forgets keys that were lent in an earlier epoch of the enclave's keys.
    func dropOutdated() {
        _ = keys
    }

    var keys: SharingKeys? {
        let epoch = enclave.keyEpoch
        return loan.withLock { loan in
            if loan?.epoch != epoch { loan = nil }
            return loan?.keys
        }
    }

    /// Returns the place of an item among the shared ones.
    /// - Parameter departure: what becomes of the shared item that the row was before, if this one is not shared.
    func listing(
        of item: StoredItem, secret: SecretBox?, orElse departure: RowDeparture = .here
    ) -> RowListing {
        // Most items end here, with or without a circle.
        guard SharingRules.obstacle(to: item) == nil, let zone = SharingZone(item.accessible) else {
            return .unlisted(departure)
        }
        guard let keys else { return .later(leavesName: departure == .everywhere) }
        guard SharingRules.shares(group: item.accessGroup, allowed: keys.allowedGroups) else {
            return .unlisted(departure)
        }
        return listing(of: item, secret, zone, keys, orElse: departure)
    }

    /// Returns name, zone and digest of an item that another device shares. Nil if it cannot be one of this circle, or while keys are missing.
    ///
    /// Whether its group is shared was for its author to say: the list of groups may have changed since then, and what does not belong here
    /// makes the whole object malformed.
    func content(of item: StoredItem, secret: SecretBox?) -> SharedContent? {
        guard SharingRules.obstacle(to: item) == nil, let zone = SharingZone(item.accessible), let keys,
            case .listed(let content, _) = listing(of: item, secret, zone, keys, orElse: .here)
        else { return nil }
        return content
    }

    private func listing(
        of item: StoredItem, _ secret: SecretBox?, _ zone: SharingZone, _ keys: SharingKeys,
        orElse departure: RowDeparture
    ) -> RowListing {
        guard let digestKey = zone == .a ? keys.digestA : keys.digestC else {
            return .later(leavesName: departure == .everywhere)
        }
        let elements = DERWriter.sortedElements(of: item.contentAttributes)
        let byteCount = elements.reduce(SharingRules.recordByteOverhead + (secret?.count ?? 0)) { $0 + $1.count }
        guard byteCount <= SharingRules.recordByteLimit else { return .unlisted(departure) }
        let content = SharedContent(
            name: Self.name(of: item, keys), zone: zone.rawValue,
            digest: Self.digest(of: item.itemClass, elements, secret, digestKey))
        return .listed(content, device: keys.device)
    }

    /// Returns the name of an item, whether or not it is shared; nil without keys.
    func name(of item: StoredItem) -> [UInt8]? {
        keys.map { Self.name(of: item, $0) }
    }

    private static func name(of item: StoredItem, _ keys: SharingKeys) -> [UInt8] {
        let message = Array(item.itemClass.rawValue.utf8) + [0] + item.primaryKeyBytes
        return Array(HMACSHA256.code(over: message, key: keys.name).prefix(SharedContent.nameByteCount))
    }

    /// The digest of class, attributes and secret, without the dates.
    private static func digest(
        of itemClass: ItemClass, _ elements: [[UInt8]], _ secret: SecretBox?, _ key: SecretBox
    ) -> [UInt8] {
        let plain = ItemDigest.running(.sha256, over: elements, secret).finishSecret()
        let message = unsafe SecretBox(count: itemClass.rawValue.utf8.count + 1 + plain.count) { output in
            var place = 0
            for byte in Array(itemClass.rawValue.utf8) + [0] {
                unsafe output[place] = byte
                place += 1
            }
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: output[place...])
            unsafe plain.withBytes { unsafe rest.copyMemory(from: $0) }
        }
        let code = unsafe message.withBytes { unsafe HMACSHA256.secret(over: $0, key: key) }
        return unsafe code.withBytes { unsafe Array($0) }
    }
}
