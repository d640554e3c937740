import Foundation
package import LatchkeyItemModel

@_implementationOnly import GRDB

/// Reads from one state of the database.
package struct ItemReader {
    private let hidden: HiddenObject
    let connection: ConnectionStatements

    var db: Database { hidden.object(as: Database.self) }

    init(db: Database, connection: ConnectionStatements) {
        hidden = HiddenObject(db)
        self.connection = connection
    }

    /// Returns the matching rows after `rowID` in row order, at most `limit`.
    package func rows(
        matching filter: RowFilter, after rowID: Int64 = 0, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try RowStatements.rows(connection, matching: filter, after: rowID, limit: limit, withSecret: withSecret)
    }

    /// Returns the numbers of all matching rows after `rowID`, in their order.
    package func rowNumbers(
        matching filter: RowFilter, after rowID: Int64
    ) throws(ItemDatabaseFailure) -> [Int64] {
        try RowStatements.numbers(connection, matching: filter, after: rowID)
    }

    /// SQLite's description of how it would search.
    package func testOnlyQueryPlan(matching filter: RowFilter, limit: Int) throws(ItemDatabaseFailure) -> [String] {
        try RowStatements.plan(db, matching: filter, limit: limit)
    }

    /// Returns the row with the same primary key as `row`, live or tombstone; it may be `row` itself.
    package func row(withPrimaryKeyOf row: ItemRow) throws(ItemDatabaseFailure) -> ItemRow? {
        try RowStatements.row(connection, withPrimaryKeyOf: row)
    }

    /// The protection classes that have rows with unbound attributes. The query is cheap if all rows are bound.
    package func keyClassesOfUnboundRows() throws(ItemDatabaseFailure) -> Set<UInt8> {
        try translated {
            var found: Set<UInt8> = []
            for schema in ItemSchema.all {
                let table = schema.itemClass.rawValue
                let sql = "SELECT DISTINCT pdmn FROM \(table) INDEXED BY \(table)_unbound WHERE bound IS NULL"
                found.formUnion(try Int64.fetchAll(db, sql: sql).map { UInt8(clamping: $0) })
            }
            return found
        }
    }

    /// Returns the rows of a protection class with unbound attributes, in row order after `rowID`, at most `limit`.
    /// Their secrets are replaced by empty ones.
    package func unboundRows(
        of itemClass: ItemClass, keyClass: UInt8, after rowID: Int64, limit: Int
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try RowStatements.unboundRows(connection, of: itemClass, keyClass: keyClass, after: rowID, limit: limit)
    }

    /// Returns the wrapped metadata key of a protection class; nil before its first item.
    package func metadataKey(ofClass keyClass: UInt8) throws(ItemDatabaseFailure) -> [UInt8]? {
        try translated {
            try Data.fetchOne(
                db.cachedStatement(sql: "SELECT wrapped FROM metadatakeys WHERE keyclass = ?"),
                arguments: [Int64(keyClass)]
            ).map { [UInt8]($0) }
        }
    }

    package func deviceKey(named name: String) throws(ItemDatabaseFailure) -> [UInt8]? {
        try translated {
            try Data.fetchOne(
                db.cachedStatement(sql: "SELECT wrapped FROM devicekeys WHERE name = ?"), arguments: [name]
            ).map { [UInt8]($0) }
        }
    }

    /// Returns the number of live rows of a class. SQLite counts over the smallest index. Only synchronizable rows can
    /// be tombstones, and tombstones have an index of their own.
    package func itemCount(of itemClass: ItemClass) throws(ItemDatabaseFailure) -> Int64 {
        try translated {
            let table = itemClass.rawValue
            let all = try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
            let buried = try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE sync = 1 AND tomb = 1") ?? 0
            return all - buried
        }
    }

    /// Returns the number of live rows of an access group, in all classes.
    package func itemCount(inAccessGroup group: String) throws(ItemDatabaseFailure) -> Int64 {
        try translated {
            try ItemSchema.all.reduce(0) { count, schema in
                let sql = "SELECT count(*) FROM \(schema.itemClass.rawValue) WHERE agrp = ? AND tomb = 0"
                return try count + (Int64.fetchOne(db, sql: sql, arguments: [group]) ?? 0)
            }
        }
    }

    /// Returns the number of live rows of an access group that are not adopted, in all classes.
    package func itemCount(
        inAccessGroup group: String, notAmong items: AdoptedItems
    ) throws(ItemDatabaseFailure) -> Int64 {
        try translated {
            try ItemSchema.all.reduce(0) { count, schema in
                let sql = """
                    SELECT count(*) FROM \(schema.itemClass.rawValue)
                    WHERE agrp = ? AND tomb = 0 AND (rowid > ? OR mdat > ?)
                    """
                let arguments: StatementArguments = [group, items.lastRow, items.lastChange]
                return try count + (Int64.fetchOne(db, sql: sql, arguments: arguments) ?? 0)
            }
        }
    }

    /// Returns the access groups in order that begin with `prefix`, are wanted and have rows, including tombstones. The
    /// cost is one index lookup per table and group with the prefix, regardless of the number of rows.
    package func accessGroups(
        beginningWith prefix: String, where isWanted: (String) -> Bool
    ) throws(ItemDatabaseFailure) -> [String] {
        try translated {
            var groups: Set<String> = []
            for schema in ItemSchema.all {
                let table = schema.itemClass.rawValue
                let statement = try db.cachedStatement(
                    sql: "SELECT agrp FROM \(table) INDEXED BY \(table)_place WHERE agrp > ? ORDER BY agrp LIMIT 1")
                var last = prefix
                while let group = try String.fetchOne(statement, arguments: [last]), group.hasPrefix(prefix) {
                    if isWanted(group) { groups.insert(group) }
                    last = group
                }
            }
            return groups.sorted()
        }
    }

    package func quarantineCount() throws(ItemDatabaseFailure) -> Int64 {
        try translated { try Int64.fetchOne(db, sql: "SELECT count(*) FROM quarantine") ?? 0 }
    }
}

/// Runs a database call and converts its errors into the port's own failures.
func translated<T>(_ body: () throws -> T) throws(ItemDatabaseFailure) -> T {
    do {
        return try body()
    } catch {
        throw ItemDatabaseFailure(error)
    }
}
