import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyPropertyListDER
import LatchkeySecretMemory

/// Where the entries of a search come from, in the order of their rows.
protocol CandidateSource {
    /// Why nothing comes after what was given last: a row that a locked class keeps closed.
    var locked: CallFailure? { get }
    var isAtEnd: Bool { get }
    /// What the next rows stand for; rows that are nothing are left out, so that it may be less than `limit` before the
    /// end.
    mutating func next(
        _ limit: Int, needsData: Bool, _ opening: inout RowOpening
    ) throws(Setback) -> [ItemSearch.Candidate]
    /// The row is part of no entry: what else it would be in need not be given.
    mutating func leaveOut(_ row: OpenedRow)
}

/// Rows of one class.
struct SingleSource: CandidateSource {
    private let store: ItemStore
    private let query: ItemQuery
    /// Nil where no row can fit.
    private let filter: RowFilter?
    private var last: Int64 = 0
    private(set) var isAtEnd = false
    private(set) var locked: CallFailure?

    init(_ store: ItemStore, _ query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox) {
        self.store = store
        self.query = query
        filter = RowSearch.filter(query, groups: groups, searchKey: searchKey)
    }

    mutating func next(
        _ limit: Int, needsData: Bool, _ opening: inout RowOpening
    ) throws(Setback) -> [ItemSearch.Candidate] {
        guard let filter else {
            isAtEnd = true
            return []
        }
        // What an enclave's key is named by is in the data of its row.
        let rows = try store.rows(
            matching: filter, after: last, limit: limit, withSecret: needsData || filter.itemClass == .key)
        isAtEnd = rows.count < limit
        last = rows.last?.rowID ?? last
        let page = try opening.items(of: rows) { RowSearch.fits($0, query) }
        locked = page.locked
        return page.rows
            .filter { hit in
                query.hostOrSubdomain.map { HostMatch.fits(hit.item.attributes[.server], $0) } ?? true
            }
            .map { ItemSearch.Candidate(item: $0) }
    }

    mutating func leaveOut(_ row: OpenedRow) {}
}

/// `kSecMatchHostOrSubdomainOfHost`: the server is the host, or ends with a dot and the host. Case counts.
enum HostMatch {
    static func fits(_ server: PropertyValue?, _ host: String) -> Bool {
        guard let server else { return false }
        // Compared as bytes: data that is not text holds no host, and equivalent texts differ.
        let (name, host) = (AttributeKind.canonicalBytes(of: server), Array(host.utf8))
        guard name.count > host.count else { return name == host }
        return name.suffix(host.count + 1).elementsEqual([UInt8(ascii: ".")] + host)
    }
}
