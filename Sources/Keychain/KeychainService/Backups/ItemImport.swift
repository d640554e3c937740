import LatchkeyAccessControl
import LatchkeyBackupItems
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Items on their way out of a backup: opened with its keys, sealed under the device's.
struct ItemImport: Sendable {
    typealias Outcome = RestoredItems.Outcome

    /// An item of the backup that could be opened.
    private struct Found {
        let item: StoredItem
        let secret: SecretBox?
        /// The key that seals the secret here.
        let itemKey: CreatedKey?
    }

    /// Ends the transaction of a dry run: nothing of it stays.
    private struct DryRun: Error {
        let outcomes: [Outcome]
    }

    let store: ItemStore
    let sealer: ItemSealer
    let itemKeys: ItemKeyPool
    let ended: EndedItems
    let enclave: any EnclaveMailbox

    private var sealing: RowSealing { sealer.sealing }

    /// Restores a page of items in one transaction.
    ///
    /// - Parameters:
    ///   - makesPlace: the items on the device that a backup could bring go first, unless nothing of the page opens.
    ///   - withheld: groups that this caller does not reach.
    ///   - chosen: the groups that are restored; nil for all.
    /// - Returns: also whether items have made place.
    func restore(
        _ sealed: [SealedItem], _ keys: SealedBackupKeys, _ policy: RestorePolicy, makesPlace: Bool, isDryRun: Bool,
        withheld: Set<String>, chosen: Set<String>? = nil
    ) throws(Setback) -> (RestoredItems, hasMadePlace: Bool) {
        var found = try opened(sealed, keys)
        let groups = found.map { result in (try? result.get().item.accessGroup) ?? "" }
        for index in found.indices where (try? found[index].get()) != nil {
            if withheld.contains(groups[index]) { found[index] = .failure(.init(.withheld)) }
            if let chosen, !chosen.contains(groups[index]) { found[index] = .failure(.init(.notChosen)) }
        }
        let items = found
        let isAnyOpen = items.contains { (try? $0.get()) != nil }
        guard isAnyOpen else {
            return (RestoredItems(outcomes: items.map { $0.refusal ?? .damaged }, groups: groups), false)
        }
        let searchKey = try sealing.keys.searchKey()
        let outcomes: [Outcome]
        do {
            outcomes = try store.database.write { [self] writer in
                if makesPlace { try makePlace(withheld, chosen, writer) }
                var outcomes: [Outcome] = []
                for result in items {
                    switch result {
                    case .failure(let reason): outcomes.append(reason.outcome)
                    case .success(let found): outcomes.append(try restore(found, policy, searchKey, writer))
                    }
                }
                if isDryRun { throw DryRun(outcomes: outcomes) }
                return outcomes
            }
        } catch let run as DryRun {
            outcomes = run.outcomes
        } catch {
            throw Setback(error)
        }
        return (RestoredItems(outcomes: outcomes, groups: groups), makesPlace)
    }

    /// The reason why an item of the backup is not restored.
    fileprivate struct Reason: Error {
        let outcome: Outcome

        init(_ outcome: Outcome) {
            self.outcome = outcome
        }
    }

    private func opened(
        _ sealed: [SealedItem], _ keys: SealedBackupKeys
    ) throws(Setback) -> [Result<Found, Reason>] {
        let blobs = sealed.map { try? ItemBlob($0.blob) }
        let wrapped = blobs.compactMap { blob in
            blob.map { UnwrapBackupKeys.Key(classNumber: UInt8($0.classNumber), bytes: $0.wrappedKey) }
        }
        var outcomes = (wrapped.isEmpty ? [] : try enclave.answer(to: UnwrapBackupKeys(keys, wrapped)))[...]
        var found: [Result<Found, Reason>] = []
        for (item, blob) in zip(sealed, blobs) {
            guard let blob else {
                found.append(.failure(Reason(.damaged)))
                continue
            }
            switch outcomes.removeFirst() {
            case .refused(.locked): throw .call(.locked(SealedBackupKeys.wrappingClass))
            case .refused:
                // The device's layer of a class key has no check value: its keys do not open elsewhere.
                let isBound = blob.classNumber > Int(KeyClass.always.rawValue)
                found.append(.failure(Reason(isBound ? .otherDevice : .damaged)))
            case .key(let key): found.append(try self.found(item, blob, key))
            }
        }
        return found
    }

    private func found(
        _ sealed: SealedItem, _ blob: ItemBlob, _ key: SecretBox
    ) throws(Setback) -> Result<Found, Reason> {
        guard let itemClass = ItemClass(rawValue: sealed.itemClass), ItemSchema.of(itemClass) != nil,
            let plaintext = try? blob.opened(with: key)
        else { return .failure(Reason(.damaged)) }
        var item: StoredItem
        let secret: SecretBox?
        do throws(ItemDictionary.Failure) {
            (item, secret) = try ItemDictionary.decode(plaintext, of: itemClass)
        } catch {
            return .failure(Reason(error == .unknownClass ? .ignored : .damaged))
        }
        guard !ItemDictionary.isTombstone(plaintext), AccessGroupList.isOwnable(item.accessGroup) else {
            return .failure(Reason(.ignored))
        }
        if case .leftOut = ItemVerdict(item, isEncrypted: true) { return .failure(Reason(.ignored)) }
        guard let keyClass = KeyClass(item.accessible), Int(keyClass.rawValue) == blob.classNumber else {
            return .failure(Reason(.damaged))
        }
        item.setStoredDigest(secret: secret)
        if case .identifier(itemClass, let identifier)? = PersistentReference(sealed.reference) {
            item.identifier = identifier
        }
        let itemKey: CreatedKey?
        do throws(Setback) {
            itemKey = secret == nil ? nil : try itemKeys.take(keyClass, binding: item.accessControl, context: nil)
        } catch .key(.locked) {
            throw .call(.locked(keyClass))
        } catch .key {
            throw .call(.keyDamaged)
        }
        return .success(Found(item: item, secret: secret, itemKey: itemKey))
    }

    /// Deletes what a backup could bring back: items that do not synchronize, and that leave their device.
    private func makePlace(
        _ withheld: Set<String>, _ chosen: Set<String>?, _ writer: ItemWriter
    ) throws(Setback) {
        for schema in ItemSchema.all {
            for row in try writer.reader.allRows(matching: RowFilter(itemClass: schema.itemClass), withSecret: false)
            where !row.isSynchronizable && !withheld.contains(row.accessGroup)
                && chosen?.contains(row.accessGroup) ?? true
            {
                // Items that do not open now, and those that no backup holds, stay.
                guard let item = try? sealing.item(of: row, in: writer.reader) else { continue }
                if case .leftOut = ItemVerdict(item, isEncrypted: true) { continue }
                guard !ItemVerdict.groupsKeptAtRestore.contains(item.accessGroup) else { continue }
                try onDisk(writer.delete(row))
            }
        }
    }

    private func restore(
        _ found: Found, _ policy: RestorePolicy, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) -> Outcome {
        var item = found.item
        let number = store.newRowNumber(at: store.nowMicroseconds())
        if item.identifier.isEmpty || isTaken(item, writer) {
            item.identifier = PersistentReference.identifier(
                ofRow: number, random: sealing.entropy.bytes(PersistentReference.randomByteCount))
        }
        let metadataKey = try sealer.metadataKey(toWrite: item, writer)
        let secret = found.itemKey.map { key in
            sealing.sealed(found.secret, of: item, itemKey: key.key, wrapped: key.wrapped)
        }
        let listing = sealer.circle.listing(of: item, secret: found.secret)
        var row = try sealing.row(
            of: item, number: number, syncIdentifier: sealing.entropy.bytes(16), secret: secret ?? .none,
            listing: listing, metadataKey: metadataKey, searchKey: searchKey)
        var outcome = Outcome.restored
        if let other = try onDisk(writer.reader.row(withPrimaryKeyOf: row)) {
            switch other.isTombstone ? .free : try contest(of: item, with: other, policy, writer) {
            case .free:
                if try staysDeleted(item, listing, writer) { return .kept }
                try onDisk(writer.delete(other))
            case .unreadable(let refusal): try ended.setAside(other, refusal, writer)
            case .decided(let decision):
                outcome = decision
                guard outcome == .replaced else { return outcome }
                row.syncIdentifier = other.syncIdentifier
                row = try sealing.row(
                    of: item, number: number, syncIdentifier: other.syncIdentifier, secret: secret ?? .none,
                    listing: listing, metadataKey: metadataKey, searchKey: searchKey)
                try onDisk(writer.replace(other, byRestored: row))
                return outcome
            }
        } else if try staysDeleted(item, listing, writer) {
            return .kept
        }
        let isCall = try isOverCall(listing, writer)
        try onDisk(writer.insert(row, isRestored: !isCall))
        return outcome
    }

    /// Returns true for an item that the circle, or a call that it has not heard of, has deleted since its last change. A row that has no name
    /// yet cannot be looked up: that is done when it gets one.
    private func staysDeleted(
        _ item: StoredItem, _ listing: RowListing, _ writer: ItemWriter
    ) throws(Setback) -> Bool {
        guard case .listed(let content, _) = listing,
            let deletion = try onDisk(writer.reader.syncDeletion(of: content.name))
        else { return false }
        return RestoredRows.stays(deletion, over: item)
    }

    /// Returns true if a call waits under the name of the item: a restore over it is a call, too.
    private func isOverCall(_ listing: RowListing, _ writer: ItemWriter) throws(Setback) -> Bool {
        guard case .listed(let content, _) = listing else { return false }
        return try onDisk(writer.reader.syncChange(of: content.name))?.stamp.isOfCall ?? false
    }

    /// True if another item on the device has the identifier: the one of the backup then gets a new one.
    private func isTaken(_ item: StoredItem, _ writer: ItemWriter) -> Bool {
        var filter = RowFilter(itemClass: item.itemClass)
        filter.identifier = item.identifier
        filter.isTombstone = nil
        guard let rows = try? writer.reader.allRows(matching: filter, withSecret: false), let row = rows.first else {
            return false
        }
        guard let other = try? sealing.item(of: row, in: writer.reader) else { return true }
        return other.primaryKeyBytes != item.primaryKeyBytes
    }

    /// The fate of the row that has the primary key of an item of the backup.
    private enum Contest {
        /// A deleted item.
        case free
        /// A row that can never be decoded again. It is set aside and not deleted, as by an add, whatever the policy.
        case unreadable(KeyRefusal)
        case decided(Outcome)
    }

    /// Of two items with one primary key, the one that was changed last wins; then the one with the smaller digest.
    private func contest(
        of item: StoredItem, with row: ItemRow, _ policy: RestorePolicy, _ writer: ItemWriter
    ) throws(Setback) -> Contest {
        let other: StoredItem
        do throws(Setback) {
            other = try sealing.item(of: row, in: writer.reader)
        } catch .key(.locked) {
            throw .call(.locked(KeyClass(rawValue: row.keyClass) ?? .whenUnlocked))
        } catch .key(let refusal) {
            return .unreadable(refusal)
        }
        let (ours, theirs) = (
            AttributeKind.microseconds(other.modificationDate), AttributeKind.microseconds(item.modificationDate)
        )
        let (ourDigest, theirDigest) = (digest(of: other), digest(of: item))
        if ours == theirs, ourDigest == theirDigest { return .decided(.identical) }
        guard policy != .keep else { return .decided(.kept) }
        if theirs != ours { return .decided(theirs > ours ? .replaced : .kept) }
        return .decided(theirDigest.lexicographicallyPrecedes(ourDigest) ? .replaced : .kept)
    }

    private func digest(of item: StoredItem) -> [UInt8] {
        guard case .data(let bytes)? = item.attributes[.digest] else { return [] }
        return bytes
    }
}

extension Result where Failure == ItemImport.Reason {
    /// The outcome of an item that was not opened.
    fileprivate var refusal: RestoredItems.Outcome? {
        guard case .failure(let reason) = self else { return nil }
        return reason.outcome
    }
}
