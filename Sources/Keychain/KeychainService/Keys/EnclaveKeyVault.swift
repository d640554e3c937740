import LatchkeyAccessControl
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Items that stand for enclave keys.
extension EnclaveKeyRecord {
    /// Returns the item as callers see it: with the access control of the key, not of its row.
    func shown(_ item: StoredItem) -> StoredItem {
        var shown = item
        shown.accessControl = accessControl
        shown.attributes[.tokenOID] = .data(blob)
        return shown
    }

    /// True if the key ends with the device's passcode.
    var isOfPasscode: Bool {
        accessControl.protection == .whenPasscodeSetThisDeviceOnly
    }

    /// Returns the `klbl` of a blob's key without asking the enclave. It is not authenticated, and only used to find
    /// rows.
    static func label(ofBlob blob: [UInt8]) -> PropertyValue? {
        (try? EnclaveKeyBlob(parsing: blob)).map { .data(sha1($0.publicKey)) }
    }
}

extension StoredItem {
    /// True if the item stands for an enclave key.
    var isOfEnclave: Bool { itemClass == .key && attributes[.tokenID] == .string(KeyAttributes.enclaveToken) }
}

/// The enclave keys that items stand for.
final class EnclaveKeyVault: Sendable {
    let enclave: any EnclaveMailbox
    let sealing: RowSealing

    init(enclave: any EnclaveMailbox, sealing: RowSealing) {
        self.enclave = enclave
        self.sealing = sealing
    }

    /// Returns the enclave's descriptions of keys, one for each blob. The keys are not used.
    func descriptions(of blobs: [[UInt8]]) throws(Setback) -> [KeyDescription] {
        guard !blobs.isEmpty else { return [] }
        return try enclave.answer(to: DescribeKeys(blobs))
    }

    /// Returns a new item for an enclave key. The enclave describes the key, and the program chooses its name.
    func newItem(_ query: ItemQuery, _ group: String) throws(Setback) -> NewItem {
        guard query.itemClass == .key, query.attributes[.tokenID] == .string(KeyAttributes.enclaveToken) else {
            throw .call(.otherToken)
        }
        guard query.dataSecret == nil else { throw .call(.tokenImport) }
        guard query.synchronizable != .synchronizable else { throw .call(.tokenSynchronizable) }
        guard let blob = query.tokenObject else { throw .call(.tokenObjectMissing) }
        guard blob.count <= EnclaveLimits.keyBlobByteCount else { throw .call(.enclaveKeyGone(.damaged)) }
        switch try descriptions(of: [blob])[0] {
        case .gone(let refusal): throw .call(.enclaveKeyGone(refusal))
        case .present(let point, let accessControl):
            if let kind = EnclaveKeyKind(publicKeyByteCount: point.count), kind != .p256 {
                throw .call(.tokenObjectKind(kind))
            }
            let record = EnclaveKeyRecord(blob: blob, accessControl: accessControl)
            return NewItem(
                .key, query.attributes.merging(KeyAttributes.ofNewEnclaveItem(label: sha1(point))) { $1 }, in: group,
                ItemProtection.always, secret: record.data, enclaveKey: record)
        }
    }

    /// Returns the enclave keys that rows stand for, by row number. Rows that cannot be decoded have none.
    /// - Parameter reader: the reader of the transaction in which the rows were read, if there was one.
    func records(of rows: [ItemRow], in reader: ItemReader? = nil) throws(Setback) -> [Int64: EnclaveKeyRecord] {
        let candidates = rows.compactMap { row -> DecryptedRow? in
            guard row.itemClass == .key, row.keyClass == KeyClass.always.rawValue, row.wrappedItemKey != nil,
                let item = try? sealing.item(of: row, in: reader), item.isOfEnclave
            else { return nil }
            return DecryptedRow(row: row, item: item)
        }
        var found: [Int64: EnclaveKeyRecord] = [:]
        try candidates.inBatches { batch throws(Setback) in
            for (candidate, outcome) in zip(batch, try enclave.unwrap(batch.map(\.question))) {
                guard case .key(let key) = outcome,
                    let secret = try? sealing.secret(of: candidate.row, candidate.item, itemKey: key)
                else { continue }
                found[candidate.row.rowID] = EnclaveKeyRecord(secret)
            }
        }
        return found
    }

    /// Deletes keys for good. Ignores keys that do not exist any more.
    func delete(_ blobs: [[UInt8]]) throws(Setback) {
        try blobs.inBatches { batch throws(Setback) in
            try enclave.answer(to: DeleteKeys(Array(batch)))
        }
    }

    /// Deletes the keys that items of the groups stand for, before the items are removed.
    /// - Parameter searchKey: read outside of the transaction.
    func deleteKeys(inAccessGroups groups: [String], _ searchKey: SecretBox, _ writer: ItemWriter)
        throws(Setback)
    {
        var filter = RowFilter(itemClass: .key)
        filter.accessGroups = groups
        let tokens = SearchTokens(key: searchKey, itemClass: .key)
        filter.tokens = [tokens.condition(.tokenID, is: .string(KeyAttributes.enclaveToken))]
        let rows = try writer.reader.allRows(matching: filter)
        try delete(records(of: rows, in: writer.reader).values.map(\.blob))
    }
}

extension CallFailure {
    static let otherToken = CallFailure(
        QueryRefusal.laterFeature("Items of tokens, but for private keys of the enclave, are"))

    static let tokenImport = CallFailure(.param, .tokenImport)

    static let tokenObjectMissing = CallFailure(.param, .tokenObjectMissing)

    static let tokenSynchronizable = CallFailure(.param, .tokenSynchronizable)
}
