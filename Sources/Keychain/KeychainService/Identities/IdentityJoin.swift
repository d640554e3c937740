import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The join of certificates and private keys to identities (Reference 5.6), for calls that change all of them.
struct IdentityJoin: Sendable {
    let store: ItemStore
    let enclaveKeys: EnclaveKeyVault

    /// Returns the rows that a delete of identities removes: the certificates, and the keys that no other certificate
    /// needs.
    func rows(
        toDelete query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ call: GuardedCall,
        _ writer: ItemWriter
    ) throws(Setback) -> [ItemRow] {
        if let reference = IdentityName(query), !query.comparesOpenRows {
            return try rows(of: reference, query, groups, searchKey, writer)
        }
        var opening = RowOpening(enclaveKeys, query, call, in: writer.reader)
        let identities = try all(of: query, groups, searchKey, &opening, writer.reader)
        let certificates = Set(identities.certificates.map(\.row.rowID))
        var isNeeded: [[UInt8]: Bool] = [:]
        for key in identities.keys {
            guard let link = IdentityLink(key.item), isNeeded[link.digest] == nil else { continue }
            isNeeded[link.digest] = try self.isNeeded(link, by: certificates, groups, searchKey, writer)
        }
        let keys = identities.keys.filter { key in
            IdentityLink(key.item).map { isNeeded[$0.digest] == false } ?? false
        }
        return (identities.certificates + keys).map(\.row)
    }

    /// Returns the rows of an identity that is named completely. They are found without opening anything, even while
    /// the device is locked.
    private func rows(
        of name: IdentityName, _ query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ writer: ItemWriter
    ) throws(Setback) -> [ItemRow] {
        let toCertificate = IdentityLink(to: .certificate, digest: name.digest)
        guard !query.asksForTombstones,
            var filter = RowSearch.filter(query.certificateSide, groups: groups, searchKey: searchKey)
        else { return [] }
        filter.tokens.append(toCertificate.token(searchKey))
        let certificates = try writer.reader.allRows(matching: filter)
        guard !certificates.isEmpty,
            try !isNeeded(toCertificate, by: Set(certificates.map(\.rowID)), groups, searchKey, writer)
        else { return certificates }
        var keySide = query.keySide
        keySide.attributes[.keyClass] = .integer(KeyAttributes.privateClass)
        return try certificates + writer.reader.allRows(of: keySide, groups, searchKey)
    }

    /// Returns true if a certificate that stays belongs to the key.
    private func isNeeded(
        _ link: IdentityLink, by deleted: Set<Int64>, _ groups: [String]?, _ searchKey: SecretBox,
        _ writer: ItemWriter
    ) throws(Setback) -> Bool {
        var filter = RowFilter(itemClass: .certificate)
        filter.accessGroups = groups
        filter.tokens = [link.token(searchKey)]
        let rows = try onDisk(writer.reader.rows(matching: filter, limit: deleted.count + 1, withSecret: false))
        return rows.contains { !deleted.contains($0.rowID) }
    }

    /// Returns both sides of every identity that a query finds, each row once.
    func all(
        of query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox, _ opening: inout RowOpening,
        _ reader: ItemReader
    ) throws(Setback) -> (certificates: [DecryptedRow], keys: [DecryptedRow]) {
        var source = IdentitySource(store, query, groups, searchKey, from: reader)
        var halves = try source.halves(&opening)
        guard query.tokenObject != nil || query.comparesOpenRows else { return halves }
        halves.keys = try opening.ofNamedDigest(halves.keys)
        if let wanted = query.tokenObject {
            // The database knows only the public key of the object, and other objects may have the same one.
            let records = try enclaveKeys.records(of: halves.keys.map(\.row), in: reader)
            halves.keys.removeAll { records[$0.row.rowID]?.blob != wanted }
        }
        let digests = Set(halves.keys.compactMap { IdentityLink($0.item)?.digest })
        halves.certificates.removeAll { certificate in
            IdentityLink(certificate.item).map { !digests.contains($0.digest) } ?? true
        }
        return halves
    }
}

/// The parts by which a reference names an identity: issuer, serial number and key.
private struct IdentityName {
    let digest: [UInt8]

    /// Returns nil if the query lacks one of them.
    init?(_ query: ItemQuery) {
        guard query.attributes[.issuer] != nil, query.attributes[.serialNumber] != nil,
            case .data(let digest)? = query.attributes[.applicationLabel], query.tokenObject == nil
        else { return nil }
        self.digest = digest
    }
}
