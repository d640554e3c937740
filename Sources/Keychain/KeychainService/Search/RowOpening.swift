import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// A row with decrypted attributes, and a secret that is still sealed. An object, because a search passes it from hand to
/// hand and the values of a row are many.
final class DecryptedRow: Sendable {
    /// Row numbers are unique only within a class.
    struct Name: Hashable {
        let itemClass: ItemClass
        let number: Int64
    }

    let row: ItemRow
    let item: StoredItem

    init(row: ItemRow, item: StoredItem) {
        self.row = row
        self.item = item
    }

    var name: Name { Name(itemClass: row.itemClass, number: row.rowID) }
    var keyClass: KeyClass { KeyClass(rawValue: row.keyClass) ?? .whenUnlocked }
}

extension DecryptedRow {
    /// Returns the item with its digest, for a call that has opened its secret.
    /// - Parameter secret: nil if the item has none, or if it was not read.
    func digested(with secret: SecretBox?) -> StoredItem {
        guard item.accessControl.isConstrained, secret != nil || row.binding != .withSecret else { return item }
        var digested = item
        digested.attributes[.digest] = .data(ItemDigest.digest(of: item, secret: secret))
        return digested
    }
}

/// Rows with their attributes.
struct OpenedRows {
    var rows: [DecryptedRow] = []
    /// Rows whose tokens are not those of their items.
    var moved: [ItemRow] = []
    /// The reason why the rows end here: the next one is of a locked class.
    var locked: CallFailure?
}

/// The opening of a search's rows, page by page. Remembers the rows that can no longer be decoded.
struct RowOpening {
    /// The outcome of opening one row.
    enum Outcome {
        /// Nil if the row has no secret, or the secret was not requested.
        case secret(SecretBox?)
        case enclaveKey(EnclaveKeyRecord)
        /// The user has to authenticate first.
        case needs(AuthenticationRequirement)
        case locked
        case undecodable(KeyRefusal)
    }

    let enclaveKeys: EnclaveKeyVault
    let query: ItemQuery
    let call: GuardedCall
    private let transaction: ItemReader?
    private(set) var undecodable: [DecryptedRow.Name: (row: ItemRow, refusal: KeyRefusal)] = [:]

    /// - Parameter transaction: the reader of the transaction in which the rows are read, if there is one.
    init(
        _ enclaveKeys: EnclaveKeyVault, _ query: ItemQuery, _ call: GuardedCall, in transaction: ItemReader? = nil
    ) {
        self.enclaveKeys = enclaveKeys
        self.query = query
        self.call = call
        self.transaction = transaction
    }

    /// Returns the rows with their attributes, up to the first row of a locked class: the caller does not see later
    /// rows.
    /// - Parameter match: compares an item with the search.
    mutating func items(of rows: [ItemRow], match: (StoredItem) -> RowMatch) throws(Setback) -> OpenedRows {
        var opened = OpenedRows()
        for row in rows {
            do throws(Setback) {
                let item = try enclaveKeys.sealing.item(of: row, in: transaction)
                switch match(item) {
                case .fits: opened.rows.append(DecryptedRow(row: row, item: item))
                case .other: continue
                case .damaged:
                    opened.moved.append(row)
                    setAside(row, .damaged)
                }
            } catch .key(.locked) {
                opened.locked = .locked(KeyClass(rawValue: row.keyClass) ?? .whenUnlocked)
                return opened
            } catch .key(let refusal) {
                setAside(row, refusal)
            }
        }
        return opened
    }

    /// Returns the rows whose items have the digest that the query names, or all if it names none. The digest of an item
    /// with conditions needs its secret, and so the proof that reading it needs: without it the answer does not depend on
    /// the digest.
    func ofNamedDigest(_ rows: [DecryptedRow]) throws(Setback) -> [DecryptedRow] {
        let guarded = rows.filter { query.digest(of: $0.row.itemClass) != nil && $0.item.accessControl.isConstrained }
        guard !guarded.isEmpty else { return rows }
        let outcomes = try outcomes(of: guarded, needsData: true)
        var found: [DecryptedRow] = []
        for row in rows {
            switch outcomes[row.name] {
            case nil: found.append(row)
            case .secret(let secret)?: if hasNamedDigest(row.digested(with: secret)) { found.append(row) }
            case .needs(let need)?: throw .need(need)
            case .locked?: throw .call(.locked(row.keyClass))
            // It cannot be said whether the row matches.
            case .undecodable?, .enclaveKey?: continue
            }
        }
        return found
    }

    /// Returns true if an item has the digest that the query names, or if it names none.
    func hasNamedDigest(_ item: StoredItem) -> Bool {
        query.digest(of: item.itemClass).map { item.attributes[.digest] == $0 } ?? true
    }

    mutating func setAside(_ row: ItemRow, _ refusal: KeyRefusal) {
        undecodable[DecryptedRow.Name(itemClass: row.itemClass, number: row.rowID)] = (row, refusal)
    }

    /// Opens rows, with one mailbox message for the secrets of a page, and one for the enclave keys among them. Items
    /// with conditions are included even if only their attributes are wanted: the attributes, too, require the
    /// conditions to be fulfilled (Reference 7.3).
    /// - Parameter needsDigest: true to open the secrets of items with conditions in any case, from which their digests
    ///   are made.
    func outcomes(
        of rows: [DecryptedRow], needsData: Bool, needsDigest: Bool = false
    ) throws(Setback) -> [DecryptedRow.Name: Outcome] {
        var outcomes: [DecryptedRow.Name: Outcome] = [:]
        var sealed: [DecryptedRow] = []
        for row in rows where outcomes[row.name] == nil {
            guard !row.lacksItemKey, !needsData || !row.lacksSecret else {
                outcomes[row.name] = .undecodable(.damaged)
                continue
            }
            outcomes[row.name] = .secret(nil)
            let isNeeded =
                needsData || row.item.isOfEnclave || row.item.accessControl.isConstrained
            if isNeeded, row.row.wrappedItemKey != nil { sealed.append(row) }
        }
        try sealed.inBatches { batch throws(Setback) in
            let keys = try enclaveKeys.enclave.unwrap(batch.map(\.question), context: call.context.opened)
            for (row, key) in zip(batch, keys) {
                outcomes[row.name] = outcome(
                    of: row, key, needsData: needsData || needsDigest && row.item.accessControl.isConstrained)
            }
        }
        try describeEnclaveKeys(&outcomes)
        return outcomes
    }

    private func outcome(of row: DecryptedRow, _ key: KeyOutcome, needsData: Bool) -> Outcome {
        switch key {
        case .refused(.locked): return .locked
        case .refused(let refusal):
            let need = call.need(refusal, to: .decrypt, for: query, on: ItemName(of: row.item)) {
                row.item.accessControl
            }
            return need.map { .needs($0) } ?? .undecodable(refusal)
        case .key(let itemKey):
            guard needsData || row.item.isOfEnclave, row.row.sealedSecret != nil else {
                return row.item.isOfEnclave ? .undecodable(.damaged) : .secret(nil)
            }
            guard let secret = try? enclaveKeys.sealing.secret(of: row.row, row.item, itemKey: itemKey) else {
                return .undecodable(.damaged)
            }
            guard row.item.isOfEnclave else { return .secret(secret) }
            return EnclaveKeyRecord(secret).map { .enclaveKey($0) } ?? .undecodable(.damaged)
        }
    }

    /// Checks that the enclave still has its keys. A key that it lost is treated like a row that cannot be decoded.
    private func describeEnclaveKeys(_ outcomes: inout [DecryptedRow.Name: Outcome]) throws(Setback) {
        let found = outcomes.compactMap { name, outcome -> (name: DecryptedRow.Name, object: EnclaveKeyRecord)? in
            if case .enclaveKey(let object) = outcome { (name, object) } else { nil }
        }
        try found.inBatches { batch throws(Setback) in
            let descriptions = try enclaveKeys.descriptions(of: batch.map(\.object.blob))
            for (key, description) in zip(batch, descriptions) {
                switch description {
                case .present(_, let accessControl):
                    outcomes[key.name] = .enclaveKey(
                        EnclaveKeyRecord(blob: key.object.blob, accessControl: accessControl))
                case .gone(let refusal): outcomes[key.name] = .undecodable(refusal)
                }
            }
        }
    }
}
