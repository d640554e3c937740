import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeySecretMemory

extension SharedItems {
    /// Returns the item that has a name; nil if there is none, or if it does not open now.
    package func item(named name: [UInt8]) throws(CallFailure) -> SharedItem? {
        try items(named: [name])[name]
    }

    /// Returns the items that have the names, without those that do not open now. As many as fit into a message to the enclave cost one.
    package func items(named names: [[UInt8]]) throws(CallFailure) -> [[UInt8]: SharedItem] {
        do throws(Setback) {
            let rows = try store.readTogether { reader in
                try names.compactMap { name -> NamedRow? in
                    let row = try reader.syncItem(named: name)?.place.flatMap { try reader.row(at: $0) }
                    return row.flatMap { $0.isTombstone ? nil : NamedRow(name: name, row: $0) }
                }
            }
            var found: [[UInt8]: SharedItem] = [:]
            // Outside of the read: opening a row may read the metadata key of its class.
            try rows.inBatches { batch throws(Setback) in
                for (name, item) in try open(batch) { found[name] = item }
            }
            return found
        } catch {
            throw failure(error)
        }
    }

    private struct NamedRow {
        let name: [UInt8]
        let row: ItemRow
    }

    /// Opens rows with one message to the enclave.
    private func open(_ rows: ArraySlice<NamedRow>) throws(Setback) -> [(name: [UInt8], item: SharedItem)] {
        var opened: [(name: [UInt8], row: DecryptedRow)] = []
        for named in rows {
            do throws(Setback) {
                opened.append((named.name, try sealing.wholeRow(named.row)))
            } catch .key {
                continue
            }
        }
        let secrets = try sealing.unguardedSecrets(of: opened.map(\.row), enclave)
        return zip(opened, secrets).compactMap { opened, outcome in
            guard case .success(let secret) = outcome,
                case .listed(let content, _) = circle.listing(of: opened.row.item, secret: secret)
            else { return nil }
            return (opened.name, SharedItem(item: opened.row.item, secret: secret, content: content))
        }
    }
}

extension RowSealing {
    /// Returns the secret of an item without conditions; nil if it has none.
    func unguardedSecret(
        of row: ItemRow, _ item: StoredItem, _ enclave: any EnclaveMailbox
    ) throws(Setback) -> SecretBox? {
        let row = DecryptedRow(row: row, item: item)
        guard row.isWhole else { throw .key(.damaged) }
        switch try unguardedSecrets(of: [row], enclave)[0] {
        case .success(let secret): return secret
        case .failure(let refusal): throw .key(refusal)
        }
    }

    /// Returns the secrets of items without conditions, nil where there is none, for as many rows as fit into a message to the enclave.
    func unguardedSecrets(
        of rows: [DecryptedRow], _ enclave: any EnclaveMailbox
    ) throws(Setback) -> [Result<SecretBox?, KeyRefusal>] {
        let questions = rows.filter { $0.row.wrappedItemKey != nil }.map(\.question)
        var outcomes = questions.isEmpty ? [] : try enclave.unwrap(questions)[...]
        return rows.map { row in
            guard row.row.wrappedItemKey != nil, let outcome = outcomes.popFirst() else { return .success(nil) }
            switch outcome {
            case .refused(let refusal): return .failure(refusal)
            case .key(let key):
                guard row.row.sealedSecret != nil else { return .success(nil) }
                guard let secret = try? secret(of: row.row, row.item, itemKey: key) else { return .failure(.damaged) }
                return .success(secret)
            }
        }
    }
}
