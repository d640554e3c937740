/// A row of any statement, read column by column. A value of another type, or of another length, is damage.
struct TableRow {
    let values: [ColumnValue]

    func integer(_ column: Int) throws(ItemDatabaseFailure) -> Int64 {
        guard case .integer(let number) = values[column] else { throw .damaged("column \(column) is not a number") }
        return number
    }

    /// A number without a sign, stored with the same bits.
    func unsigned(_ column: Int) throws(ItemDatabaseFailure) -> UInt64 {
        UInt64(bitPattern: try integer(column))
    }

    func byte(_ column: Int) throws(ItemDatabaseFailure) -> UInt8 {
        guard let byte = UInt8(exactly: try integer(column)) else { throw .damaged("column \(column) is out of range") }
        return byte
    }

    func text(_ column: Int) throws(ItemDatabaseFailure) -> String {
        guard case .text(let text) = values[column] else { throw .damaged("column \(column) is not a text") }
        return text
    }

    func bytes(_ column: Int, count: Int? = nil) throws(ItemDatabaseFailure) -> [UInt8] {
        guard case .bytes(let bytes) = values[column], count == nil || count == bytes.count else {
            throw .damaged("column \(column) does not have the bytes that it should")
        }
        return bytes
    }

    func isNull(_ column: Int) -> Bool {
        if case .null = values[column] { true } else { false }
    }

    /// Returns nil for NULL.
    func bytesIfAny(_ column: Int, count: Int? = nil) throws(ItemDatabaseFailure) -> [UInt8]? {
        isNull(column) ? nil : try bytes(column, count: count)
    }
}

extension ColumnValue {
    /// A number without a sign, stored with the same bits.
    static func unsigned(_ number: UInt64) -> ColumnValue { .integer(Int64(bitPattern: number)) }
}
