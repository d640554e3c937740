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

    /// Stores a new row if its primary key is free.
    /// - Returns: the live row that has the same primary key; nothing is stored then.
    func insert(_ row: ItemRow, of new: NewItem, _ writer: ItemWriter) throws(Setback) -> ItemRow? {
        if try !onDisk(writer.insertIfFree(row)) {
            if let other = try liveRow(inTheWayOf: row, writer) { return other }
            try onDisk(writer.insert(row))
        }
        try passcodeItems.confirm(row, new.item, writer)
        try passcodeItems.confirm(new)
        return nil
    }

    /// Writes a row that has changed. Its primary key must be free.
    func update(_ row: ItemRow, of item: StoredItem, _ writer: ItemWriter) throws(Setback) {
        if try liveRow(inTheWayOf: row, writer) != nil { throw .call(.duplicate) }
        try onDisk(writer.update(row))
        try passcodeItems.confirm(row, item, writer)
    }

    /// Returns the live row that has the primary key of another one. Removes a tombstone, or a row that can no longer
    /// be decoded.
    private func liveRow(inTheWayOf row: ItemRow, _ writer: ItemWriter) throws(Setback) -> ItemRow? {
        guard let other = try onDisk(writer.reader.row(withPrimaryKeyOf: row)), other.rowID != row.rowID else {
            return nil
        }
        if other.isTombstone {
            try onDisk(writer.delete(other))
            return nil
        }
        do throws(Setback) {
            let item = try sealing.item(of: other, in: writer.reader)
            if let loss = secretLoss(of: DecryptedRow(row: other, item: item)) { throw .key(loss) }
        } catch .key(let refusal) where refusal != .locked {
            try ended.setAside(other, refusal, writer)
            return nil
        } catch .key {
            return other
        }
        return other
    }

    /// Returns the reason why the secret of a row can never be opened again; nil if it opens, or if that depends on the
    /// user or on the lock state. A find of the row would set it aside for the same reason.
    private func secretLoss(of row: DecryptedRow) -> KeyRefusal? {
        guard !row.lacksItemKey, !row.lacksSecret else { return .damaged }
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

extension KeyRefusal {
    /// True if the key can never be unwrapped again, in any state of the device and with any authentication.
    fileprivate var isFinal: Bool {
        switch self {
        case .damaged, .invalidated, .deleted, .classKeyMissing: true
        case .locked, .authenticationNeeded, .wrongApplicationPassword: false
        }
    }
}
