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
        let pageSize = 256
        var rows: [ItemRow] = []
        while true {
            let page = try onDisk(
                self.rows(matching: filter, after: rows.last?.rowID ?? 0, limit: pageSize, withSecret: withSecret))
            rows += page
            if page.count < pageSize { return rows }
        }
    }
}
