import LatchkeyItemDatabase

extension ItemReader {
    /// Every row that fits, page by page.
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
