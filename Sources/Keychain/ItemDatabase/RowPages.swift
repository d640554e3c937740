/// Something that reads rows: the database itself, or a transaction.
package protocol RowReading {
    /// Returns the matching rows after `rowID` in row order, at most `limit`.
    func rows(
        matching filter: RowFilter, after rowID: Int64, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow]

    /// Returns the numbers of all matching rows after `rowID`, in their order.
    func rowNumbers(matching filter: RowFilter, after rowID: Int64) throws(ItemDatabaseFailure) -> [Int64]
}

extension ItemDatabase: RowReading {}
extension ItemReader: RowReading {}

/// The rows that match a filter, page by page in row order.
///
/// SQLite finds the rows of a group through an index in another order, and would sort the rest of them for each page.
/// So the rest is numbered once, before the second page, and pages are looked up by number. A row that no longer
/// matches when its page is read is left out; a row that matches all the time is in exactly one page.
package struct RowPages: Sendable {
    private let filter: RowFilter
    /// The last row of the first page; nil before it.
    private var last: Int64?
    /// The rows after the pages so far; nil before the second page.
    private var numbers: ArraySlice<Int64>?
    package private(set) var isAtEnd = false

    package init(_ filter: RowFilter) {
        self.filter = filter
    }

    /// Returns the rows of the next page, at most `limit`. There may be fewer, also before the end.
    package mutating func next(
        _ limit: Int, withSecret: Bool, from reader: some RowReading
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        guard !isAtEnd else { return [] }
        guard let last else {
            let rows = try reader.rows(matching: filter, after: 0, limit: limit, withSecret: withSecret)
            isAtEnd = rows.count < limit
            last = rows.last?.rowID
            return rows
        }
        let rest = if let numbers { numbers } else { try reader.rowNumbers(matching: filter, after: last)[...] }
        let wanted = rest.prefix(min(limit, RowFilter.numberLimit))
        numbers = rest.dropFirst(wanted.count)
        isAtEnd = wanted.count == rest.count
        guard !wanted.isEmpty else { return [] }
        var page = filter
        page.numbers = wanted
        return try reader.rows(matching: page, after: 0, limit: wanted.count, withSecret: withSecret)
    }
}
