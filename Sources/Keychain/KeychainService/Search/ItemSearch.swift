import LatchkeyAccessControl
import LatchkeyEnclaveContract
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeyItems
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// A search in progress: pages of rows, with one mailbox message for all secrets of a page.
struct ItemSearch {
    /// The number of keys that the enclave unwraps in one message.
    private static let pageSize = EnclaveLimits.keysPerBatch
    /// The maximum size of an answer; for more, the caller has to narrow its query.
    private static let answerByteLimit = 48 << 20
    /// The size of the secrets that are opened at once, but for the last one.
    private static let openedByteLimit = 16 << 20

    private let store: ItemStore
    private let query: ItemQuery
    /// Reads one state, if several items are wanted: what others write meanwhile does not show.
    private let reader: SteadyRows?
    private let wanted: Int64
    private var source: any CandidateSource
    /// Candidates of the last page whose secrets are not open yet.
    private var waiting: ArraySlice<Candidate> = []
    private var matcher: CertificateMatcher?
    private var opening: RowOpening
    private var pages = 0
    private(set) var found: Int64 = 0
    /// Rows that require authentication and are skipped by the query.
    private var skipped: Set<DecryptedRow.Name> = []
    private var answer: FoundItems

    /// - Parameter deliver: takes the parts of an answer that is too large for one message; nil if it must not be.
    init(
        _ store: ItemStore, _ enclaveKeys: EnclaveKeyVault, _ query: ItemQuery, _ groups: [String]?,
        _ call: GuardedCall, deliver: PartDelivery? = nil
    ) throws(Setback) {
        self.store = store
        self.query = query
        switch query.limit {
        case nil, .one?: wanted = 1
        case .all?: wanted = .max
        case .count(let count)?: wanted = count
        }
        let shape = ResultShape(returns: query.returns, limit: query.limit, itemClass: query.itemClass)
        answer = FoundItems(shape, deliver: wanted > 1 ? deliver : nil)
        opening = RowOpening(enclaveKeys, query, call)
        let searchKey = try enclaveKeys.sealing.keys.searchKey()
        reader = wanted > 1 ? try onDisk(store.database.steadyRows()) : nil
        source =
            query.itemClass == .identity
            ? IdentitySource(store, query, groups, searchKey, from: reader)
            : SingleSource(store, query, groups, searchKey, from: reader)
        if query.matchesCertificates {
            matcher = try CertificateMatcher(store, enclaveKeys, query, searchKey, call, from: reader)
        }
    }

    var leftOut: Int { skipped.count }

    /// The answer, or what is left of it after the parts that were delivered.
    var rest: ItemReplyPart { answer.part(leftOut: leftOut, isLast: true) }

    var undecodable: [(row: ItemRow, refusal: KeyRefusal)] { Array(opening.undecodable.values) }

    var isComplete: Bool {
        get throws(Setback) { try hasEnough || waiting.isEmpty && source.isAtEnd }
    }

    private var hasEnough: Bool {
        get throws(Setback) {
            guard answer.weight <= Self.answerByteLimit else {
                throw .call(.dataTooLarge, as: .resultTooLarge)
            }
            return found >= wanted
        }
    }

    /// Opens as many candidates as may be open at once, of a new page if none wait, and delivers a part if it is full.
    mutating func step() throws(Setback) {
        try openNext()
        guard try answer.deliverIfFull(leftOut: leftOut) else { return }
        // The device may have been locked while the program took the part.
        let rows = waiting.flatMap { [$0.item.row] + ($0.certificate.map { [$0.row] } ?? []) }
        if let locked = try opening.items(of: rows, match: { _ in .fits }).locked { throw .call(locked) }
    }

    /// A locked row, or one that requires authentication, ends the search only if there is not enough before it. In a
    /// function of its own: the secrets that it opens are kept by the answer alone when a part is delivered.
    private mutating func openNext() throws(Setback) {
        let needsData = answer.shape.needsData || matcher != nil
        let comparesDigest = query.attributes[.digest] != nil
        if waiting.isEmpty {
            waiting = try source.next(nextPageSize(), needsData: needsData || comparesDigest, &opening)[...]
            // The search will end at the locked row: it fails before the user is prompted.
            if let locked = source.locked, Int64(waiting.count) < wanted - found { throw .call(locked) }
        }
        let candidates = nextCandidates()
        let parts = candidates.flatMap { [$0.item] + ($0.certificate.map { [$0] } ?? []) }
        let needsDigest = answer.shape.needsAttributes || comparesDigest
        var unopened = parts.filter { answer.halves[$0.name] == nil }
        if needsDigest, !needsData { unopened = try withGuardedSecrets(unopened) }
        let outcomes = try opening.outcomes(of: unopened, needsData: needsData, needsDigest: needsDigest)
        for candidate in candidates where try !hasEnough { try take(candidate, outcomes) }
        if waiting.isEmpty, let locked = source.locked, found < wanted { throw .call(locked) }
    }

    /// Takes candidates from those that wait, until their secrets are as large as may be open at once.
    private mutating func nextCandidates() -> ArraySlice<Candidate> {
        var (byteCount, count) = (0, 0)
        for candidate in waiting where byteCount < Self.openedByteLimit {
            byteCount += candidate.sealedByteCount
            count += 1
        }
        defer { waiting = waiting.dropFirst(count) }
        return waiting.prefix(count)
    }

    /// Reads the sealed secrets of items with conditions, which are not read with the attributes of a page: a digest is
    /// made from them.
    private func withGuardedSecrets(_ rows: [DecryptedRow]) throws(Setback) -> [DecryptedRow] {
        var read: [DecryptedRow] = []
        for row in rows {
            guard row.item.accessControl.isConstrained, row.row.sealedSecret == nil else {
                read.append(row)
                continue
            }
            var filter = RowFilter(itemClass: row.row.itemClass)
            filter.rowID = row.row.rowID
            let whole = try store.rows(matching: filter, limit: 1, withSecret: true, from: reader).first
            // Another call may have replaced the secret: then the item as it was has no digest any more.
            let isSame = whole?.wrappedItemKey == row.row.wrappedItemKey
            read.append(whole.map { isSame ? DecryptedRow(row: $0, item: row.item) : row } ?? row)
        }
        return read
    }

    /// Returns the number of rows still wanted. Pages grow, because rows may be left out or not belong to an identity.
    private mutating func nextPageSize() -> Int {
        defer { pages += 1 }
        let growing = min(1 << min(pages, 8), Self.pageSize)
        return Int(min(max(wanted - found, Int64(growing)), Int64(Self.pageSize)))
    }

    private mutating func take(
        _ candidate: Candidate, _ outcomes: [DecryptedRow.Name: RowOpening.Outcome]
    ) throws(Setback) {
        guard let item = try opened(candidate.item, outcomes) else { return source.leaveOut(candidate.item) }
        var certificate: OpenedItem?
        if let row = candidate.certificate {
            guard let part = try opened(row, outcomes) else { return source.leaveOut(row) }
            certificate = part
        }
        let inspected = certificate ?? item
        if matcher != nil, answer.halves[inspected.name] == nil {
            guard let secret = inspected.secret, try matcher?.fits(secret) ?? true else {
                return source.leaveOut(candidate.certificate ?? candidate.item)
            }
        }
        found += 1
        let weight =
            candidate.item.row.sealedAttributes.count + (candidate.certificate?.row.sealedAttributes.count ?? 0)
        answer.add(item, certificate, weight: weight)
    }

    /// Returns nil if the row is left out; the search then continues with the next row.
    private mutating func opened(
        _ row: DecryptedRow, _ outcomes: [DecryptedRow.Name: RowOpening.Outcome]
    ) throws(Setback) -> OpenedItem? {
        if let known = answer.halves[row.name] { return known }
        switch outcomes[row.name] {
        case .secret(let secret)?:
            let item = row.digested(with: secret)
            guard opening.hasNamedDigest(item) else { return nil }
            return OpenedItem(name: row.name, item: item, secret: secret)
        case .enclaveKey(let object)?:
            if let wanted = query.tokenObject, wanted != object.blob { return nil }
            return OpenedItem(name: row.name, item: object.shown(row.item), tokenBlob: object.blob)
        case .needs(let need)?:
            guard query.authenticationUI == .skip else { throw .need(need) }
            skipped.insert(row.name)
            return nil
        case .locked?:
            throw .call(.locked(row.keyClass))
        case .undecodable(let refusal)?:
            opening.setAside(row.row, refusal)
            return nil
        case nil:
            return nil
        }
    }
}
