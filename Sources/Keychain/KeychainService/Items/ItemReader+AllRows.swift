import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeySecretMemory

extension ItemReader {
    /// Returns every row that the database finds for a query, with its secret.
    func allRows(
        of query: ItemQuery, _ groups: [String]?, _ searchKey: SecretBox
    ) throws(Setback) -> [ItemRow] {
        guard let filter = RowSearch.filter(query, groups: groups, searchKey: searchKey) else { return [] }
        return try allRows(matching: filter)
    }

    /// Returns every row that matches. Reads page by page.
    func allRows(matching filter: RowFilter, withSecret: Bool = true) throws(Setback) -> [ItemRow] {
        var rows: [ItemRow] = []
        var pages = RowPages(filter)
        while !pages.isAtEnd {
            rows += try onDisk(pages.next(RowFilter.numberLimit, withSecret: withSecret, from: self))
        }
        return rows
    }
}
