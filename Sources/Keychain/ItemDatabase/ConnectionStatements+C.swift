import LatchkeyItemModel

@_implementationOnly import GRDB
@_implementationOnly import GRDBSQLite

/// The prepared statements of one connection. Only one thread at a time may use them.
///
/// They use SQLite's own interface: a call of the keychain needs one or two statements of a few microseconds, and any
/// layer above would take longer.
@safe final class ConnectionStatements {
    private let database: OpaquePointer
    private var prepared: [String: OpaquePointer] = unsafe [:]
    /// The statements of searches, without their texts.
    private var searches: [RowSelection.Form: OpaquePointer] = unsafe [:]
    /// The search used last: most programs repeat it, and comparing is cheaper than hashing.
    private var last: (form: RowSelection.Form, statement: OpaquePointer)?

    /// The current transaction has changed what programs of this device share with others. The commit takes it back.
    var hasSharedChange = false

    /// The items that the current transaction has changed. The commit takes it back.
    var changedGroups = ChangedGroups()

    /// The time by the clock of the device, in microseconds since 2001-01-01 00:00:00 UTC. Asked for in a transaction that makes a version.
    private let clock: @Sendable () -> Int64

    var now: UInt64 { UInt64(clamping: clock()) }

    private static let limit = 192

    /// - Parameter database: must stay open as long as this object lives.
    init(_ database: OpaquePointer, clock: @escaping @Sendable () -> Int64 = { 0 }) {
        unsafe self.database = unsafe database
        self.clock = clock
    }

    deinit {
        finalizeAll()
    }

    /// True outside of a transaction, also after an error that has ended it.
    var isOutsideTransaction: Bool { unsafe sqlite3_get_autocommit(database) != 0 }

    /// The number of rows that the last statement inserted, changed or deleted.
    var changedRows: Int { unsafe Int(sqlite3_changes64(database)) }

    /// The number of rows changed by all statements since the connection was opened.
    var totalChangedRows: Int { unsafe Int(sqlite3_total_changes64(database)) }

    /// Runs a statement to completion.
    func run(_ sql: String, _ values: [ColumnValue] = []) throws(ItemDatabaseFailure) {
        try unsafe steps(statement(sql), values) { _ in }
    }

    /// Returns the first column of the first row as a number; nil for NULL or if there is no row.
    func integer(_ sql: String, _ values: [ColumnValue] = []) throws(ItemDatabaseFailure) -> Int64? {
        var found: Int64?
        try unsafe steps(statement(sql), values) { statement in
            if unsafe sqlite3_column_type(statement, 0) != SQLITE_NULL {
                found = unsafe found ?? sqlite3_column_int64(statement, 0)
            }
        }
        return found
    }

    /// Returns the rows of any statement.
    func table(_ sql: String, _ values: [ColumnValue] = []) throws(ItemDatabaseFailure) -> [TableRow] {
        var rows: [TableRow] = []
        try unsafe steps(statement(sql), values) { statement in
            let columns = unsafe 0..<sqlite3_column_count(statement)
            rows.append(TableRow(values: columns.map { unsafe Self.value(statement, $0) }))
        }
        return rows
    }

    /// Returns the rows of a statement that selects `ItemTables.fixedColumns` and the secret.
    func rows(
        _ sql: String, _ values: [ColumnValue], of itemClass: ItemClass
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try unsafe rows(statement(sql), values, of: itemClass)
    }

    /// Returns the rows of a selection.
    func rows(_ selection: RowSelection) throws(ItemDatabaseFailure) -> [ItemRow] {
        try unsafe rows(statement(selection.form), selection.values, of: selection.form.itemClass)
    }

    /// Returns the row numbers of a selection of them.
    func numbers(_ selection: RowSelection) throws(ItemDatabaseFailure) -> [Int64] {
        var numbers: [Int64] = []
        try unsafe steps(statement(selection.form), selection.values) { statement in
            numbers.append(unsafe sqlite3_column_int64(statement, 0))
        }
        return numbers
    }

    private func rows(
        _ statement: OpaquePointer, _ values: [ColumnValue], of itemClass: ItemClass
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        var rows: [ItemRow] = []
        try unsafe steps(statement, values) { unsafe rows.append(Self.row($0, itemClass)) }
        return rows
    }

    private func steps(
        _ statement: OpaquePointer, _ values: [ColumnValue], _ body: (OpaquePointer) -> Void
    ) throws(ItemDatabaseFailure) {
        // If a step failed, the reset returns the same error again. The next use is not affected.
        defer { unsafe sqlite3_reset(statement) }
        for (index, value) in values.enumerated() { unsafe Self.bind(value, to: statement, at: Int32(index + 1)) }
        while true {
            switch unsafe sqlite3_step(statement) {
            case SQLITE_ROW: unsafe body(statement)
            case SQLITE_DONE: return
            case let outcome: throw unsafe ItemDatabaseFailure(resultCode: outcome, of: database)
            }
        }
    }

    private func statement(_ form: RowSelection.Form) throws(ItemDatabaseFailure) -> OpaquePointer {
        if let last = unsafe last, unsafe last.form == form { return unsafe last.statement }
        let statement: OpaquePointer
        if let known = unsafe searches[form] {
            unsafe statement = unsafe known
        } else {
            unsafe statement = try unsafe self.statement(form.sql)
            unsafe searches[form] = unsafe statement
        }
        unsafe last = unsafe (form, statement)
        return unsafe statement
    }

    private func statement(_ sql: String) throws(ItemDatabaseFailure) -> OpaquePointer {
        if let known = unsafe prepared[sql] { return unsafe known }
        if unsafe prepared.count >= Self.limit { finalizeAll() }
        var made: OpaquePointer?
        let outcome = unsafe sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &made, nil)
        guard outcome == SQLITE_OK, let made = unsafe made else {
            throw unsafe ItemDatabaseFailure(resultCode: outcome, of: database)
        }
        unsafe prepared[sql] = unsafe made
        return unsafe made
    }

    private func finalizeAll() {
        unsafe last = nil
        unsafe searches.removeAll()
        unsafe prepared.values.forEach { unsafe sqlite3_finalize($0) }
        unsafe prepared.removeAll()
    }

    private static func bind(_ value: ColumnValue, to statement: OpaquePointer, at index: Int32) {
        // SQLITE_TRANSIENT: SQLite copies the bytes.
        let copied = unsafe unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null:
            unsafe sqlite3_bind_null(statement, index)
        case .integer(let number):
            unsafe sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            text.withUTF8 { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { characters in
                    _ = unsafe sqlite3_bind_text(
                        statement, index, characters.baseAddress, Int32(characters.count), copied)
                }
            }
        case .bytes(let bytes):
            unsafe bytes.withUnsafeBytes { content in
                // SQLite would treat a null pointer as NULL.
                guard let start = content.baseAddress, unsafe !content.isEmpty else {
                    _ = unsafe sqlite3_bind_zeroblob(statement, index, 0)
                    return
                }
                _ = unsafe sqlite3_bind_blob64(statement, index, start, UInt64(content.count), copied)
            }
        }
    }

    /// Reads the columns in the order of `ItemTables.fixedColumns`, then the secret.
    private static func row(_ statement: OpaquePointer, _ itemClass: ItemClass) -> ItemRow {
        unsafe ItemRow(
            rowID: sqlite3_column_int64(statement, 0), itemClass: itemClass, accessGroup: text(statement, 1),
            keyClass: UInt8(clamping: sqlite3_column_int64(statement, 2)),
            isSynchronizable: sqlite3_column_int64(statement, 3) != 0,
            isTombstone: sqlite3_column_int64(statement, 4) != 0, creationDate: sqlite3_column_int64(statement, 5),
            modificationDate: sqlite3_column_int64(statement, 6), identifier: bytes(statement, 7) ?? [],
            syncIdentifier: bytes(statement, 8) ?? [], primaryKey: [], tokens: [:],
            binding: binding(statement, 11),
            sealedAttributes: bytes(statement, 9) ?? [], sealedSecret: bytes(statement, 12),
            wrappedItemKey: bytes(statement, 10))
    }

    private static func binding(_ statement: OpaquePointer, _ column: Int32) -> RowBinding {
        guard unsafe sqlite3_column_type(statement, column) != SQLITE_NULL else { return .none }
        return switch unsafe sqlite3_column_int64(statement, column) {
        case 0: .withoutSecret
        case 1: .withSecret
        default: .unknown
        }
    }

    private static func value(_ statement: OpaquePointer, _ column: Int32) -> ColumnValue {
        switch unsafe sqlite3_column_type(statement, column) {
        case SQLITE_NULL: .null
        case SQLITE_INTEGER: unsafe .integer(sqlite3_column_int64(statement, column))
        case SQLITE_TEXT: unsafe .text(text(statement, column))
        // A real number has the wrong type for every column: its bytes have the wrong length.
        default: unsafe ColumnValue(bytes(statement, column))
        }
    }

    private static func bytes(_ statement: OpaquePointer, _ column: Int32) -> [UInt8]? {
        guard unsafe sqlite3_column_type(statement, column) != SQLITE_NULL else { return nil }
        // The pointer first: reading it may convert the value, and the length must be that of the converted value.
        let start = unsafe sqlite3_column_blob(statement, column)
        return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(statement, column))))
    }

    private static func text(_ statement: OpaquePointer, _ column: Int32) -> String {
        guard let start = unsafe sqlite3_column_text(statement, column) else { return "" }
        let count = unsafe Int(sqlite3_column_bytes(statement, column))
        return unsafe String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

extension ItemDatabaseFailure {
    /// The last error of a connection.
    init(resultCode: Int32, of database: OpaquePointer?) {
        let message = unsafe database.flatMap { unsafe sqlite3_errmsg($0) }.map { unsafe String(cString: $0) }
        self.init(DatabaseError(resultCode: ResultCode(rawValue: resultCode), message: message))
    }
}
