import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Identities: a private key and a certificate of its public key (Reference 5.6).
///
/// The tokens of `pkhh` and `klbl` differ even if the values are equal, so the database cannot join. One side is
/// opened, and the other is looked up by the digests found there: a search reads no more rows than the side that the
/// query names.
struct IdentitySource: CandidateSource {
    private static let pageSize = 256
    /// The maximum size of the partners that are kept in memory.
    private static let heldByteLimit = 16 << 20

    /// The rows of the other side that have one digest, as far as they were read.
    private struct Partners {
        var rows: [DecryptedRow] = []
        var last: Int64 = 0
        var isAtEnd = false
        var locked: CallFailure?
    }

    private let store: ItemStore
    private let reader: (any RowReading)?
    private let searchKey: SecretBox
    private let certificateQuery: ItemQuery
    private let keyQuery: ItemQuery
    private let certificates: RowFilter?
    private let keys: RowFilter?
    /// True if the search goes through the certificates, false if it goes through the keys.
    private let beginsWithCertificates: Bool
    /// The pages of the side that the search goes through; nil if there are no identities.
    private var pages: RowPages?
    /// Rows of the side that the search goes through, as long as some of their partners were not returned.
    private var drivers: ArraySlice<DecryptedRow> = []
    /// The number of partners of the first driver that were returned.
    private var place = 0
    private var lockedBehind: CallFailure?
    /// Read once for each digest, even if several drivers have it.
    private var partners: [[UInt8]: Partners] = [:]
    private var heldBytes = 0
    private var leftOut: Set<DecryptedRow.Name> = []

    /// - Parameter reader: the reader of the transaction or the state in which the rows are read, if there is one.
    init(
        _ store: ItemStore, _ query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox,
        from reader: (any RowReading)? = nil
    ) {
        self.store = store
        self.reader = reader
        self.searchKey = searchKey
        certificateQuery = query.certificateSide
        keyQuery = query.keySide
        // Tombstones are not identities.
        let isPossible = !query.asksForTombstones
        certificates = isPossible ? RowSearch.filter(certificateQuery, groups: groups, searchKey: searchKey) : nil
        keys = isPossible ? RowSearch.filter(keyQuery, groups: groups, searchKey: searchKey) : nil
        beginsWithCertificates = query.namesCertificate
        guard let certificates, let keys else { return }
        pages = RowPages(beginsWithCertificates ? certificates : keys)
    }

    private var hasReadAll: Bool { pages?.isAtEnd ?? true }

    var isAtEnd: Bool { hasReadAll && drivers.isEmpty }

    var locked: CallFailure? { drivers.isEmpty ? lockedBehind : nil }

    mutating func next(
        _ limit: Int, needsData: Bool, _ opening: inout RowOpening
    ) throws(Setback) -> [Candidate] {
        if drivers.isEmpty { try readDrivers(limit, needsData: needsData, &opening) }
        var found: [Candidate] = []
        while found.count < limit, let driver = drivers.first {
            guard !leftOut.contains(driver.name),
                let other = try nextPartner(of: driver, limit, needsData: needsData, &opening)
            else {
                drivers.removeFirst()
                place = 0
                continue
            }
            found.append(
                beginsWithCertificates
                    ? Candidate(item: other, certificate: driver)
                    : Candidate(item: driver, certificate: other))
        }
        return found
    }

    mutating func leaveOut(_ row: DecryptedRow) {
        leftOut.insert(row.name)
    }

    /// Returns both sides of every identity, each row once, for a change of all of them.
    mutating func halves(
        _ opening: inout RowOpening
    ) throws(Setback) -> (certificates: [DecryptedRow], keys: [DecryptedRow]) {
        var drivers: [DecryptedRow] = []
        var others: [DecryptedRow] = []
        var isJoined: [[UInt8]: Bool] = [:]
        while !hasReadAll {
            try readDrivers(Self.pageSize, needsData: true, &opening)
            for driver in self.drivers {
                guard let link = IdentityLink(driver.item) else { continue }
                if isJoined[link.digest] == nil {
                    var list = Partners()
                    while !list.isAtEnd { try readPartners(link, Self.pageSize, needsData: true, &list, &opening) }
                    if let locked = list.locked { throw .call(locked) }
                    isJoined[link.digest] = !list.rows.isEmpty
                    others += list.rows
                }
                if isJoined[link.digest] == true { drivers.append(driver) }
            }
            if let lockedBehind { throw .call(lockedBehind) }
            self.drivers = []
        }
        others.sort { $0.row.rowID < $1.row.rowID }
        return beginsWithCertificates ? (drivers, others) : (others, drivers)
    }

    private mutating func readDrivers(_ limit: Int, needsData: Bool, _ opening: inout RowOpening) throws(Setback) {
        let rows = try store.next(
            &pages, limit: limit, withSecret: needsData || !beginsWithCertificates, from: reader)
        let query = beginsWithCertificates ? certificateQuery : keyQuery
        let page = try opening.items(of: rows) { RowSearch.match($0, query) }
        drivers = page.rows[...]
        lockedBehind = page.locked
        if heldBytes > Self.heldByteLimit { (partners, heldBytes) = ([:], 0) }
    }

    /// Returns nil after the last partner.
    private mutating func nextPartner(
        of driver: DecryptedRow, _ limit: Int, needsData: Bool, _ opening: inout RowOpening
    ) throws(Setback) -> DecryptedRow? {
        guard let link = IdentityLink(driver.item) else { return nil }
        var list = partners.removeValue(forKey: link.digest) ?? Partners()
        defer { partners[link.digest] = list }
        if place == 0, !leftOut.isEmpty { list.rows.removeAll { leftOut.contains($0.name) } }
        while place >= list.rows.count, !list.isAtEnd {
            let count = list.rows.count
            try readPartners(link, limit, needsData: needsData, &list, &opening)
            for row in list.rows[count...] { heldBytes += row.row.byteCount }
        }
        if place < list.rows.count {
            place += 1
            return list.rows[place - 1]
        }
        if let locked = list.locked {
            // Rows after a locked one are not searched.
            lockedBehind = locked
            drivers = drivers.prefix(1)
        }
        return nil
    }

    private func readPartners(
        _ link: IdentityLink, _ limit: Int, needsData: Bool, _ list: inout Partners, _ opening: inout RowOpening
    ) throws(Setback) {
        guard var filter = link.side == .key ? keys : certificates else {
            list.isAtEnd = true
            return
        }
        filter.tokens.append(link.token(searchKey))
        let query = link.side == .key ? keyQuery : certificateQuery
        let rows = try store.rows(
            matching: filter, after: list.last, limit: limit, withSecret: needsData || link.side == .key,
            from: reader)
        let page = try opening.items(of: rows) { link.leads(to: $0) ? RowSearch.match($0, query) : .damaged }
        list.rows += page.rows.filter { IdentityLink($0.item) != nil && !leftOut.contains($0.name) }
        list.last = rows.last?.rowID ?? list.last
        list.locked = page.locked
        list.isAtEnd = rows.count < limit || page.locked != nil
    }
}

extension ItemRow {
    fileprivate var byteCount: Int { sealedAttributes.count + (sealedSecret?.count ?? 0) }
}

/// The link between the halves of an identity: the digest of the public key, `pkhh` of the certificate and `klbl` of
/// the key.
struct IdentityLink {
    /// The class of the other half.
    let side: ItemClass
    let digest: [UInt8]

    /// Returns nil for an item that is not half of an identity: a public key, or an item without the digest.
    init?(_ item: StoredItem) {
        switch item.itemClass {
        case .certificate: side = .key
        case .key:
            guard item.attributes[.keyClass] == .integer(KeyAttributes.privateClass) else { return nil }
            side = .certificate
        case .genericPassword, .internetPassword, .identity: return nil
        }
        guard case .data(let digest)? = item.attributes[Self.attribute(of: item.itemClass)], !digest.isEmpty else {
            return nil
        }
        self.digest = digest
    }

    init(to side: ItemClass, digest: [UInt8]) {
        self.side = side
        self.digest = digest
    }

    /// Returns the token by which the database finds the other half.
    func token(_ searchKey: SecretBox) -> (name: AttributeName, token: [UInt8]) {
        SearchTokens(key: searchKey, itemClass: side).condition(Self.attribute(of: side), is: .data(digest))
    }

    /// Returns true if the item is the other half. Tokens are not authenticated, so the opened item decides.
    func leads(to item: StoredItem) -> Bool {
        item.itemClass == side && item.attributes[Self.attribute(of: side)] == .data(digest)
    }

    private static func attribute(of itemClass: ItemClass) -> AttributeName {
        itemClass == .key ? .applicationLabel : .publicKeyHash
    }
}
