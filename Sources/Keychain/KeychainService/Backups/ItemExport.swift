import LatchkeyAccessControl
import LatchkeyBackupItems
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory

/// Items on their way into a backup: opened with the device's keys, sealed under those of the backup.
struct ItemExport: Sendable {
    private static let pageByteLimit = 4 << 20
    private static let schemas = ItemSchema.all

    let store: ItemStore
    let sealing: RowSealing
    let enclave: any EnclaveMailbox

    /// Where an encrypted backup takes the items of each group and class. Rows of locked classes are counted, too.
    func plan() throws(Setback) -> [ItemPlanRow] {
        struct Kind: Hashable {
            let group: String
            let itemClass: ItemClass
            let accessible: ProtectionClass?
            let verdict: ItemPlanRow.Verdict
        }
        var counts: [Kind: Int64] = [:]
        for schema in Self.schemas {
            var last: Int64 = 0
            while true {
                let rows = try rows(of: schema.itemClass, after: last, withSecret: false)
                for row in rows {
                    counts[
                        Kind(
                            group: row.accessGroup, itemClass: schema.itemClass,
                            accessible: KeyClass(rawValue: row.keyClass)?.protectionClass,
                            verdict: try verdict(row)), default: 0] += 1
                }
                guard rows.count == SealedItem.limit, let end = rows.last else { break }
                last = end.rowID
            }
        }
        return counts.map { kind, count in
            ItemPlanRow(
                accessGroup: kind.group, itemClass: kind.itemClass, accessible: kind.accessible, verdict: kind.verdict,
                count: count)
        }.sorted { one, other in
            (one.accessGroup, one.itemClass.rawValue, one.accessible?.rawValue ?? "", one.verdict.text)
                < (other.accessGroup, other.itemClass.rawValue, other.accessible?.rawValue ?? "", other.verdict.text)
        }
    }

    private func verdict(_ row: ItemRow) throws(Setback) -> ItemPlanRow.Verdict {
        do throws(Setback) {
            return .known(ItemVerdict(try sealing.item(of: row), isEncrypted: true))
        } catch .key(.locked) {
            return .locked
        } catch .key {
            return .undecodable
        }
    }

    /// The items of one page.
    ///
    /// - Parameter withheld: groups whose items this caller does not get.
    func page(
        after start: ItemPlace?, _ keys: SealedBackupKeys, isEncrypted: Bool, withheld: Set<String>
    ) throws(Setback) -> BackedUpItems {
        let start = start ?? ItemPlace(table: 0, row: 0)
        guard Self.schemas.indices.contains(start.table) else {
            return BackedUpItems(items: [], leftOut: [:], next: nil)
        }
        let itemClass = Self.schemas[start.table].itemClass
        let rows = try rows(of: itemClass, after: start.row, withSecret: true)
        var leftOut: [String: Int64] = [:]
        var wanted: [DecryptedRow] = []
        var end = start.row
        var byteCount = 0
        for row in rows {
            // At least one row, so that every page gets on.
            if byteCount > Self.pageByteLimit { break }
            end = row.rowID
            byteCount += (row.sealedSecret?.count ?? 0) + row.sealedAttributes.count
            guard let opened = try opened(row, isEncrypted, withheld, &leftOut) else { continue }
            wanted.append(opened)
        }
        let isTableDone = rows.count < SealedItem.limit && end == rows.last?.rowID ?? start.row
        let next =
            isTableDone
            ? (start.table + 1 < Self.schemas.count ? ItemPlace(table: start.table + 1, row: 0) : nil)
            : ItemPlace(table: start.table, row: end)
        return BackedUpItems(items: try sealed(wanted, keys, &leftOut), leftOut: leftOut, next: next)
    }

    private func rows(
        of itemClass: ItemClass, after row: Int64, withSecret: Bool
    ) throws(Setback) -> [ItemRow] {
        try store.rows(
            matching: RowFilter(itemClass: itemClass), after: row, limit: SealedItem.limit, withSecret: withSecret)
    }

    /// A row that goes into the backup; nil for one that is left out, which is counted.
    private func opened(
        _ row: ItemRow, _ isEncrypted: Bool, _ withheld: Set<String>, _ leftOut: inout [String: Int64]
    ) throws(Setback) -> DecryptedRow? {
        guard !withheld.contains(row.accessGroup) else {
            leftOut[ItemVerdict.withheldText, default: 0] += 1
            return nil
        }
        do throws(Setback) {
            let item = try sealing.item(of: row)
            if case .leftOut(let reason) = ItemVerdict(item, isEncrypted: isEncrypted) {
                leftOut[reason.rawValue, default: 0] += 1
                return nil
            }
            let opened = DecryptedRow(row: row, item: item)
            guard opened.isWhole else { throw .key(.damaged) }
            return opened
        } catch .key(.locked) {
            throw .call(.locked(KeyClass(rawValue: row.keyClass) ?? .whenUnlocked))
        } catch .key {
            leftOut[ItemVerdict.undecodableText, default: 0] += 1
            return nil
        }
    }

    private func sealed(
        _ rows: [DecryptedRow], _ keys: SealedBackupKeys, _ leftOut: inout [String: Int64]
    ) throws(Setback) -> [SealedItem] {
        guard !rows.isEmpty else { return [] }
        let withSecret = rows.filter { $0.row.sealedSecret != nil }
        let outcomes = withSecret.isEmpty ? [] : try enclave.unwrap(withSecret.map(\.question))
        let itemKeys = Dictionary(
            zip(withSecret.map(\.row.rowID), outcomes), uniquingKeysWith: { one, _ in one })
        let made = try enclave.newBackupKeys(keys, rows.map { UInt8($0.row.keyClass) })
        var items: [SealedItem] = []
        for (row, backupKey) in zip(rows, made) {
            var secret: SecretBox?
            do throws(Setback) {
                switch itemKeys[row.row.rowID] {
                case .key(let itemKey)?: secret = try sealing.secret(of: row.row, row.item, itemKey: itemKey)
                case .refused(let refusal)?: throw .key(refusal)
                case nil: break
                }
            } catch .key(.locked) {
                throw .call(.locked(row.keyClass))
            } catch .key {
                leftOut[ItemVerdict.undecodableText, default: 0] += 1
                continue
            }
            let blob = ItemBlob(
                classNumber: Int(row.row.keyClass), key: backupKey.key, wrappedKey: backupKey.wrapped,
                plaintext: ItemDictionary.encode(row.item, secret: secret))
            items.append(
                SealedItem(
                    itemClass: row.row.itemClass.rawValue, blob: blob.bytes, reference: row.item.persistentReference))
        }
        return items
    }
}
