import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// The rows of one entry of the answer: an item, or the two halves of an identity.
struct Candidate {
    let item: DecryptedRow
    var certificate: DecryptedRow?

    /// The size of the secrets, as far as they were read.
    var sealedByteCount: Int {
        (item.row.sealedSecret?.count ?? 0) + (certificate?.row.sealedSecret?.count ?? 0)
    }
}

/// A source of the entries of a search, in the order of their rows.
protocol CandidateSource {
    /// The reason why the source ends after the candidates given so far: a row of a locked class.
    var locked: CallFailure? { get }
    var isAtEnd: Bool { get }
    /// Returns the candidates of the next rows. Rows that do not belong to an entry are left out, so there may be fewer
    /// than `limit` candidates before the end.
    mutating func next(
        _ limit: Int, needsData: Bool, _ opening: inout RowOpening
    ) throws(Setback) -> [Candidate]
    /// Tells the source that the row is not part of any entry: further candidates with this row are not needed.
    mutating func leaveOut(_ row: DecryptedRow)
}

/// Rows of one class.
struct SingleSource: CandidateSource {
    private let store: ItemStore
    private let query: ItemQuery
    private let reader: (any RowReading)?
    /// Nil if no row can match.
    private var pages: RowPages?
    private(set) var locked: CallFailure?

    /// - Parameter reader: the reader of the state in which the rows are read, if there is one.
    init(
        _ store: ItemStore, _ query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox,
        from reader: (any RowReading)? = nil
    ) {
        self.store = store
        self.query = query
        self.reader = reader
        pages = RowSearch.filter(query, groups: groups, searchKey: searchKey).map { RowPages($0) }
    }

    var isAtEnd: Bool { pages?.isAtEnd ?? true }

    mutating func next(
        _ limit: Int, needsData: Bool, _ opening: inout RowOpening
    ) throws(Setback) -> [Candidate] {
        // The blob of an enclave key is in the secret of its row.
        let rows = try store.next(&pages, limit: limit, withSecret: needsData || query.itemClass == .key, from: reader)
        let page = try opening.items(of: rows) { RowSearch.match($0, query) }
        locked = page.locked
        return page.rows
            .filter { hit in
                query.hostOrSubdomain.map { HostMatch.fits(hit.item.attributes[.server], $0) } ?? true
            }
            .map { Candidate(item: $0) }
    }

    mutating func leaveOut(_ row: DecryptedRow) {}
}

/// The match key `kSecMatchHostOrSubdomainOfHost`: the server is the host, or ends with a dot and the host.
/// Case-sensitive.
enum HostMatch {
    static func fits(_ server: PropertyValue?, _ host: String) -> Bool {
        guard let server else { return false }
        // Compared as bytes: data that is not text does not contain a host, and equivalent texts differ.
        let (name, host) = (AttributeKind.canonicalBytes(of: server), Array(host.utf8))
        guard name.count > host.count else { return name == host }
        return name.suffix(host.count + 1).elementsEqual([UInt8(ascii: ".")] + host)
    }
}
