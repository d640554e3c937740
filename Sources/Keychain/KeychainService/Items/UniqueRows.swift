import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems

/// The live rows, of which no two have the same primary key.
struct UniqueRows: Sendable {
    let enclaveKeys: EnclaveKeyVault
    let ended: EndedItems
    let passcodeItems: PasscodeItems

    private var sealing: RowSealing { enclaveKeys.sealing }

    /// The finding under the primary key of a row.
    private enum Obstacle {
        /// The primary key is free.
        /// - Parameter tombstone: the date of the tombstone that was removed for it, if there was one.
        case none(tombstone: Int64?)
        case liveRow(ItemRow)
    }

    /// Stores a new row if its primary key is free.
    /// - Parameter redated: makes the row again with a later modification date than the given one. Called if the clock
    ///   was set back: a new item is later than the deletion that it follows.
    func insert(
        _ row: ItemRow, of new: NewItem, _ writer: ItemWriter,
        redated: (Int64) throws(Setback) -> (ItemRow, NewItem)
    ) throws(Setback) -> Insertion {
        var (row, new) = (row, new)
        if try !onDisk(writer.insertIfFree(row)) {
            switch try obstacle(to: row, writer) {
            case .liveRow(let other): return .taken(other)
            case .none(let tombstone):
                if let tombstone, tombstone >= row.modificationDate { (row, new) = try redated(tombstone) }
            }
            try onDisk(writer.insert(row))
        }
        try passcodeItems.confirm(row, new.item, writer)
        try passcodeItems.confirm(new)
        return .stored(new)
    }

    /// Writes a row that has changed. Its primary key must be free.
    /// - Parameter redated: as for ``insert(_:of:_:redated:)``.
    func update(
        _ row: ItemRow, of item: StoredItem, _ writer: ItemWriter,
        redated: (Int64) throws(Setback) -> (ItemRow, StoredItem)
    ) throws(Setback) {
        var (row, item) = (row, item)
        switch try obstacle(to: row, writer) {
        case .liveRow: throw .call(.duplicate)
        case .none(let tombstone):
            if let tombstone, tombstone >= row.modificationDate { (row, item) = try redated(tombstone) }
        }
        try onDisk(writer.update(row))
        try passcodeItems.confirm(row, item, writer)
    }

    /// Looks for another row with the primary key of one. Removes a tombstone, or a row that can no longer be decoded.
    private func obstacle(to row: ItemRow, _ writer: ItemWriter) throws(Setback) -> Obstacle {
        guard let other = try onDisk(writer.reader.row(withPrimaryKeyOf: row)), other.rowID != row.rowID else {
            return .none(tombstone: nil)
        }
        if other.isTombstone {
            try onDisk(writer.delete(other))
            return .none(tombstone: other.modificationDate)
        }
        do throws(Setback) {
            let item = try sealing.item(of: other, in: writer.reader)
            if let loss = secretLoss(of: DecryptedRow(row: other, item: item)) { throw .key(loss) }
        } catch .key(let refusal) where refusal != .locked {
            try ended.setAside(other, refusal, writer)
            return .none(tombstone: nil)
        } catch .key {
            return .liveRow(other)
        }
        return .liveRow(other)
    }

    /// Returns the reason why the secret of a row can never be opened again; nil if it opens, or if that depends on the
    /// user or on the lock state. A find of the row would set it aside for the same reason.
    private func secretLoss(of row: DecryptedRow) -> KeyRefusal? {
        guard row.isWhole else { return .damaged }
        // Without an answer from the enclave, nothing is known about the row.
        guard row.row.wrappedItemKey != nil, let outcome = try? enclaveKeys.enclave.unwrap(row.question) else {
            return nil
        }
        switch outcome {
        case .refused(let refusal): return refusal.isFinal ? refusal : nil
        case .key(let key):
            guard row.row.sealedSecret != nil else { return row.item.isOfEnclave ? .damaged : nil }
            guard let secret = try? sealing.secret(of: row.row, row.item, itemKey: key) else { return .damaged }
            guard row.item.isOfEnclave else { return nil }
            guard let record = EnclaveKeyRecord(secret) else { return .damaged }
            guard case .gone(let refusal)? = (try? enclaveKeys.descriptions(of: [record.blob]))?.first else {
                return nil
            }
            return refusal
        }
    }
}

/// The outcome of storing a new item.
enum Insertion {
    /// The item as it was stored.
    case stored(NewItem)
    /// Nothing was stored: this live row has the primary key.
    case taken(ItemRow)
}

extension KeyRefusal {
    /// True if the key can never be unwrapped again, in any state of the device and with any authentication.
    fileprivate var isFinal: Bool {
        switch self {
        case .damaged, .invalidated, .deleted, .classKeyMissing: true
        case .locked, .authenticationNeeded, .wrongApplicationPassword: false
        }
    }
}
