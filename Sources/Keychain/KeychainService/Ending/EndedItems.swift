import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// Items that ended on purpose (Reference 7.2, 7.3, 13.4). The device keeps the date and the reason of their end, and
/// does not count them as damage. Calls treat them like rows whose key does not exist: a find and an update find
/// nothing, an add succeeds, and a delete finds the item once, unless a search met it before.
struct EndedItems: Sendable {
    let store: ItemStore
    let keys: ProtectionKeys

    /// Moves a row that can no longer be opened out of its table: to the ended items, or into quarantine.
    func setAside(_ row: ItemRow, _ refusal: KeyRefusal, _ writer: ItemWriter) throws(Setback) {
        if let ending = try onDisk(ending(of: row, refusal, writer.reader)) {
            try onDisk(writer.end(row, as: ending))
            try onDisk(writer.forgetOldestEndedRows())
        } else {
            try onDisk(writer.quarantine(row, reason: "it cannot be decoded", at: store.nowMicroseconds()))
        }
    }

    /// Moves rows that can no longer be opened out of their table. If this fails now, the next search meets them again.
    /// A row that was written since the search read it stays: it may be sound.
    func setAside(_ rows: some Collection<(row: ItemRow, refusal: KeyRefusal)>) {
        guard !rows.isEmpty else { return }
        let rows = Array(rows)
        try? store.write { writer in
            for (row, refusal) in rows {
                guard let present = try writer.reader.row(at: row.place, withSecret: false),
                    present.wrappedItemKey == row.wrappedItemKey, present.sealedAttributes == row.sealedAttributes
                else { continue }
                try setAside(row, refusal, writer)
            }
        }
    }

    /// Returns the ending that a refusal means; nil for damage.
    private func ending(of row: ItemRow, _ refusal: KeyRefusal, _ reader: ItemReader) throws(ItemDatabaseFailure)
        -> Ending?
    {
        let now = store.clock.wallTime()
        switch refusal {
        // The only class key that can be missing is that of "when passcode set".
        case .classKeyMissing: return Ending(.passcodeRemoved, at: now, isNoticedLater: true)
        case .deleted: return Ending(.keyDeleted, at: now, isNoticedLater: true)
        case .invalidated:
            // The item was bound to the fingers at the time of its last change, or earlier.
            guard let change = try reader.fingerChange(notBefore: row.modificationDate) else {
                return Ending(.fingersChanged, at: now, isNoticedLater: true)
            }
            return Ending(.fingersChanged, at: WallTime(microsecondsSince2001: change))
        case .locked, .damaged, .authenticationNeeded, .wrongApplicationPassword: return nil
        }
    }

    /// Returns the failure of a search without a result: a matching item ended, or there is no matching item. From now
    /// on a delete does not find an ended item either.
    func absence(of query: ItemQuery, _ groups: [String]?) -> CallFailure {
        guard let searchKey = try? keys.searchKey(),
            let filter = try? store.read({ try endedFilter(query, groups, searchKey, $0) }),
            let found = try? store.read({ try $0.endedRows(matching: filter, limit: 1) }).first
        else { return .notFound }
        // If the row cannot be marked now, a delete finds it once more, which does no harm.
        if !found.isMet { _ = try? store.write { try $0.meetEndedRows(matching: filter) } }
        return .ended(found.ending)
    }

    /// Finds ended items for a delete, in addition to live rows: those that no search has met since they ended.
    /// - Returns: their number.
    func meet(
        _ query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) -> Int {
        guard let filter = try onDisk(endedFilter(query, groups, searchKey, writer.reader)) else { return 0 }
        return try onDisk(writer.meetEndedRows(matching: filter))
    }

    /// Returns nil if no item ended, or if the query names something that ended items do not keep.
    private func endedFilter(
        _ query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ reader: ItemReader
    ) throws(ItemDatabaseFailure) -> RowFilter? {
        guard query.itemClass != .identity, !query.asksForTombstones, query.tokenObject == nil,
            query.hostOrSubdomain == nil, !query.comparesOpenRows,
            !query.matchesCertificates, try reader.hasEndedRows(of: query.itemClass)
        else { return nil }
        return RowSearch.filter(query, groups: groups, searchKey: searchKey)
    }

    /// Returns the items that ended, the latest first.
    func list(limit: Int) throws(Setback) -> [EndedItem] {
        let rows = try store.read { reader in
            try ItemSchema.all.flatMap { schema in
                try reader.endedRows(matching: RowFilter(itemClass: schema.itemClass), limit: limit)
            }
        }
        return rows.sorted { $0.ending.date > $1.ending.date }.prefix(limit).map { row in
            EndedItem(
                itemClass: row.itemClass.rawValue, accessGroup: row.accessGroup, ending: row.ending,
                created: WallTime(microsecondsSince2001: row.creationDate))
        }
    }
}

extension CallFailure {
    /// Returns the failure for a matching item that ended on purpose.
    static func ended(_ ending: Ending) -> CallFailure {
        let date = ending.date.text ?? "an unknown date"
        let time = ending.isNoticedLater ? "on \(date) or before" : "on \(date)"
        let why =
            switch ending.reason {
            case .passcodeRemoved:
                "when the device's passcode was removed: items of kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly end "
                    + "with it"
            case .fingersChanged:
                "when the enrolled fingers changed: it was bound to those enrolled before "
                    + "(kSecAccessControlBiometryCurrentSet)"
            case .keyDeleted: "when its key in the enclave was deleted"
            }
        return CallFailure(.itemNotFound, .itemEnded, time, why)
    }
}
