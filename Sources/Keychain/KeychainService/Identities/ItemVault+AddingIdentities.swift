import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Adds an identity as its certificate and its key, in one transaction (Reference 5.6). One of them may exist already.
extension ItemVault {
    func addIdentity(
        _ query: ItemQuery, _ request: ItemRequest, _ group: String, _ call: GuardedCall
    ) throws(Setback) -> ItemReply {
        guard let reference = query.reference.flatMap({ IdentityReference($0) }) else {
            throw .call(.badIdentity)
        }
        let newCertificate = try newCertificate(reference.certificate, query, group)
        let newKey = try newKey(reference.key, query, request, group)
        let searchKey = try keys.searchKey()
        let certificate = try sealer.numbered(newCertificate, query, call, searchKey)
        let key = try sealer.numbered(newKey, query, call, searchKey)
        // The answer describes the items as they are stored, including one that existed before.
        let added = try store.write { [self] writer -> AddedItem in
            let halves = (
                certificate: try insert(certificate, searchKey, writer), key: try insert(key, searchKey, writer)
            )
            if case (.taken, .taken) = halves { throw Setback.call(.duplicate) }
            return try AddedItem(
                key: half(key, halves.key, query, call, writer.reader),
                certificate: half(certificate, halves.certificate, query, call, writer.reader))
        }
        return addReply(added, query)
    }

    /// Returns one half as it is stored now. An existing one is opened like in a find if anything of it is returned,
    /// with the same authentication.
    private func half(
        _ new: NewItem, _ insertion: Insertion, _ query: ItemQuery, _ call: GuardedCall, _ reader: ItemReader
    ) throws(Setback) -> AddedItem {
        let former: ItemRow
        switch insertion {
        case .stored(let stored): return AddedItem(stored)
        case .taken(let row): former = row
        }
        guard !query.returns.isEmpty else { return AddedItem(new) }
        var opening = RowOpening(enclaveKeys, query, call, in: reader)
        let page = try opening.items(of: [former]) { _ in .fits }
        if let locked = page.locked { throw .call(locked) }
        guard let row = page.rows.first else { throw .call(.keyDamaged) }
        let shape = ResultShape(returns: query.returns, limit: nil, itemClass: query.itemClass)
        let needsDigest = shape.needsAttributes
        switch try opening.outcomes(of: [row], needsData: shape.needsData, needsDigest: needsDigest)[row.name] {
        case .secret(let secret)?: return AddedItem(row.digested(with: secret), secret: secret)
        case .enclaveKey(let record)?: return AddedItem(row.item, enclaveKey: record)
        case .needs(let need)?: throw .need(need)
        case .locked?: throw .call(.locked(row.keyClass))
        case .undecodable?, nil: throw .call(.keyDamaged)
        }
    }

    private func newCertificate(
        _ part: [String: PropertyValue], _ query: ItemQuery, _ group: String
    ) throws(Setback) -> NewItem {
        guard case .data(let der)? = part["v_Data"] else { throw .call(.badIdentity) }
        var side = try self.query(of: part, .certificate)
        side.attributes.merge(query.certificateSide.attributes) { $1 }
        guard side.attributes[.tokenID] == nil else { throw .call(.otherToken) }
        return try newItem(protected(side, like: query), group, secret: SecretBox(copying: der))
    }

    private func newKey(
        _ part: [String: PropertyValue], _ query: ItemQuery, _ request: ItemRequest, _ group: String
    ) throws(Setback) -> NewItem {
        var side = try protected(self.query(of: part, .key), like: query)
        side.attributes.merge(query.keySide.attributes) { $1 }
        // A search for identities tests the label of the certificate; an added identity has its label on both sides.
        if let label = query.attributes[.label] { side.attributes[.label] = label }
        if side.attributes[.tokenID] != nil { return try enclaveKeys.newItem(side, group) }
        guard case .secret(let index)? = part["v_Data"] else { throw .call(.badIdentity) }
        return try newItem(side, group, secret: request.secret(at: index))
    }

    private func query(of part: [String: PropertyValue], _ itemClass: ItemClass) throws(Setback) -> ItemQuery {
        var pairs = part.filter { $0.key != "v_Data" }.map { QueryPair($0.key, $0.value) }
        pairs.append(QueryPair("class", .string(itemClass.rawValue)))
        var query = try grammatical(QueryGrammar.query(pairs, for: .add))
        query.attributes.normaliseIssuer(of: itemClass)
        return query
    }

    /// Returns one half with the protection and synchronizability of the whole identity.
    private func protected(_ side: ItemQuery, like query: ItemQuery) -> ItemQuery {
        var side = side
        side.accessible = query.accessible
        side.accessControl = query.accessControl
        side.synchronizable = query.synchronizable
        return side
    }
}

extension CallFailure {
    fileprivate static let badIdentity = CallFailure(.param, as: .identityIncomplete)
}
