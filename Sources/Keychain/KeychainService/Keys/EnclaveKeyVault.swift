import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Items that stand for keys of the enclave.
extension EnclaveKeyRecord {
    /// The item as callers see it: with the access control of the key, not that of its row.
    func shown(_ item: StoredItem) -> StoredItem {
        var shown = item
        shown.accessControl = accessControl
        shown.attributes[.tokenOID] = .data(blob)
        return shown
    }

    /// Whether the key ends with the device's passcode.
    var isOfPasscode: Bool {
        accessControl.protection == .whenPasscodeSetThisDeviceOnly
    }

    /// The `klbl` of a blob's key, without asking the enclave: nobody believes it, it only finds rows.
    static func label(ofBlob blob: [UInt8]) -> PropertyValue? {
        (try? EnclaveKeyBlob(parsing: blob)).map { .data(sha1($0.publicKey)) }
    }
}

extension StoredItem {
    /// Whether it stands for a key of the enclave.
    var isOfEnclave: Bool { itemClass == .key && attributes[.tokenID] == .string(KeyAttributes.enclaveToken) }
}

/// The enclave's keys as far as items stand for them.
final class EnclaveKeyVault: Sendable {
    let enclave: any EnclaveMailbox
    let sealing: RowSealing

    init(enclave: any EnclaveMailbox, sealing: RowSealing) {
        self.enclave = enclave
        self.sealing = sealing
    }

    /// Asks the enclave about keys without using them: one answer for each blob.
    func descriptions(of blobs: [[UInt8]]) throws(Setback) -> [KeyDescription] {
        guard !blobs.isEmpty else { return [] }
        return try enclave.answer(to: DescribeKeys(blobs))
    }

    /// The item of a key of the enclave. What it is the enclave says; the program says how it is called.
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
            guard let publicKey = try? PublicKey(externalRepresentation: point, type: .ellipticCurve) else {
                throw .call(.unexpectedKeyReply)
            }
            let record = EnclaveKeyRecord(blob: blob, accessControl: accessControl)
            return NewItem(
                .key, query.attributes.merging(KeyAttributes.ofNewEnclaveItem(publicKey)) { $1 }, in: group,
                ItemProtection.always, secret: record.data, enclaveKey: record)
        }
    }

    /// The keys of the enclave that rows stand for, by the numbers of the rows. Rows that cannot be decoded have none.
    /// - Parameter reader: of the transaction that the rows were read in, if they were in one.
    func records(of rows: [ItemRow], in reader: ItemReader? = nil) throws(Setback) -> [Int64: EnclaveKeyRecord] {
        let candidates = rows.compactMap { row -> OpenedRow? in
            guard row.itemClass == .key, row.keyClass == KeyClass.always.rawValue, row.wrappedItemKey != nil,
                let item = try? sealing.item(of: row, in: reader), item.isOfEnclave
            else { return nil }
            return OpenedRow(row: row, item: item)
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

    /// Ends keys for good. Those that are not there any more are passed over.
    func delete(_ blobs: [[UInt8]]) throws(Setback) {
        try blobs.inBatches { batch throws(Setback) in
            try enclave.answer(to: DeleteKeys(Array(batch)))
        }
    }

    /// Ends the keys that items of the groups stand for, before the items go.
    /// - Parameter searchKey: from outside the transaction.
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

    static let tokenImport = CallFailure(
        .param, .tokenImport, "The enclave takes no key from outside.",
        advice: "Make the key there: SecKeyCreateRandomKey with kSecAttrTokenIDSecureEnclave.")

    static let tokenObjectMissing = CallFailure(
        .param, .tokenObjectMissing, "The item names the enclave, but no key of it.",
        advice: "Add a key of the enclave as kSecValueRef.")

    static let tokenSynchronizable = CallFailure(
        .param, .tokenSynchronizable, "A key of the enclave does not leave its device.",
        advice: "Leave kSecAttrSynchronizable out.")
}
