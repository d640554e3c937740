/// The size of the rows that a device stores.
enum RowSize {
    /// Bytes of all columns of a password's row, on average.
    static func average(in device: String) throws -> Int {
        let file = try SQLiteFile(device + "/keychain/keychain.db", isReadOnly: true)
        let columns = try file.texts("SELECT name FROM pragma_table_info('genp')")
        let sum = columns.map { "coalesce(length(CAST(\"\($0)\" AS BLOB)), 0)" }.joined(separator: " + ")
        guard let size = try file.texts("SELECT CAST(avg(\(sum)) AS INTEGER) FROM genp").first.flatMap({ Int($0) })
        else { throw Failure("the device holds no rows") }
        return size
    }
}
