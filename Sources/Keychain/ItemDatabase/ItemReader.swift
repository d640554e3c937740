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

    /// Rows that fit, in row order, from after `rowID`; at most `limit`.
    package func rows(
        matching filter: RowFilter, after rowID: Int64 = 0, limit: Int, withSecret: Bool
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try RowStatements.rows(connection, matching: filter, after: rowID, limit: limit, withSecret: withSecret)
    }

    /// How SQLite would look for rows, in its own words.
    package func testOnlyQueryPlan(matching filter: RowFilter, limit: Int) throws(ItemDatabaseFailure) -> [String] {
        try translated { try RowStatements.plan(db, matching: filter, limit: limit) }
    }

    /// The row that has the primary key of `row`, live or tombstone; may be `row` itself.
    package func row(withPrimaryKeyOf row: ItemRow) throws(ItemDatabaseFailure) -> ItemRow? {
        try RowStatements.row(connection, withPrimaryKeyOf: row)
    }

    /// The protection classes that have rows whose attributes are not bound. Costs nothing if all are bound.
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

    /// Rows of a protection class whose attributes are not bound, in row order, from after `rowID`; at most `limit`. In
    /// place of a secret they have an empty one.
    package func unboundRows(
        of itemClass: ItemClass, keyClass: UInt8, after rowID: Int64, limit: Int
    ) throws(ItemDatabaseFailure) -> [ItemRow] {
        try RowStatements.unboundRows(connection, of: itemClass, keyClass: keyClass, after: rowID, limit: limit)
    }

    /// The wrapped metadata key of a protection class, nil before its first item.
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

    /// Live rows of a class. Counted over the smallest index; only synchronizable rows can be tombstones, and those
    /// have an index of their own.
    package func itemCount(of itemClass: ItemClass) throws(ItemDatabaseFailure) -> Int64 {
        try translated {
            let table = itemClass.rawValue
            let all = try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table)") ?? 0
            let buried = try Int64.fetchOne(db, sql: "SELECT count(*) FROM \(table) WHERE sync = 1 AND tomb = 1") ?? 0
            return all - buried
        }
    }

    /// Live rows of an access group, of every class.
    package func itemCount(inAccessGroup group: String) throws(ItemDatabaseFailure) -> Int64 {
        try translated {
            try ItemSchema.all.reduce(0) { count, schema in
                let sql = "SELECT count(*) FROM \(schema.itemClass.rawValue) WHERE agrp = ? AND tomb = 0"
                return try count + (Int64.fetchOne(db, sql: sql, arguments: [group]) ?? 0)
            }
        }
    }

    /// Live rows of an access group that an adoption was not about, of every class.
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

    /// The access groups whose names begin with `prefix`, that are wanted and that have rows, tombstones too, in order.
    /// Costs a look into each table's index for each group that begins so, however many rows there are.
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

/// Runs a database call and turns what it throws into the port's own failures.
func translated<T>(_ body: () throws -> T) throws(ItemDatabaseFailure) -> T {
    do {
        return try body()
    } catch {
        throw ItemDatabaseFailure(error)
    }
}
