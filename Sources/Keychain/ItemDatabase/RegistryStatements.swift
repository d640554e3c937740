import Foundation
import LatchkeyItemModel

@_implementationOnly import GRDB

/// The statements of the tables `teams`, `apps` and `settings`.
extension ItemReader {
    /// All teams, ordered by identifier.
    package func teams() throws(ItemDatabaseFailure) -> [TeamRow] {
        try translated { try Row.fetchAll(db, sql: "SELECT * FROM teams ORDER BY identifier").map { try TeamRow($0) } }
    }

    package func team(_ identifier: String) throws(ItemDatabaseFailure) -> TeamRow? {
        try translated {
            try Row.fetchOne(db, sql: "SELECT * FROM teams WHERE identifier = ?", arguments: [identifier])
                .map { try TeamRow($0) }
        }
    }

    /// All apps, ordered by name.
    package func apps() throws(ItemDatabaseFailure) -> [AppRow] {
        try translated { try Row.fetchAll(db, sql: "SELECT * FROM apps ORDER BY application").map { try AppRow($0) } }
    }

    package func app(_ application: String) throws(ItemDatabaseFailure) -> AppRow? {
        try translated {
            try Row.fetchOne(db, sql: "SELECT * FROM apps WHERE application = ?", arguments: [application])
                .map { try AppRow($0) }
        }
    }

    package func appCount() throws(ItemDatabaseFailure) -> Int {
        try translated { try Int.fetchOne(db, sql: "SELECT count(*) FROM apps") ?? 0 }
    }

    package func setting(named name: String) throws(ItemDatabaseFailure) -> [UInt8]? {
        try translated {
            try Data.fetchOne(db, sql: "SELECT value FROM settings WHERE name = ?", arguments: [name]).map {
                [UInt8]($0)
            }
        }
    }

    /// Returns the settings whose names begin with an ASCII prefix, keyed by the rest of their names.
    package func settings(withPrefix prefix: String) throws(ItemDatabaseFailure) -> [String: [UInt8]] {
        try translated {
            let rows = try Row.fetchAll(
                db, sql: "SELECT name, value FROM settings WHERE substr(name, 1, ?) = ?",
                arguments: [prefix.utf8.count, prefix])
            return try rows.reduce(into: [:]) { settings, row in
                let name: String = try row.value("name")
                settings[String(name.dropFirst(prefix.count))] = try row.bytes("value")
            }
        }
    }

    /// All access groups that have a row, including groups with tombstones only.
    package func accessGroups() throws(ItemDatabaseFailure) -> Set<String> {
        try translated {
            try ItemSchema.all.reduce(into: []) { groups, schema in
                groups.formUnion(
                    try String.fetchAll(db, sql: "SELECT DISTINCT agrp FROM \(schema.itemClass.rawValue)"))
            }
        }
    }
}

extension ItemWriter {
    /// Inserts the team, or replaces the row with the same identifier.
    package func setTeam(_ team: TeamRow) throws(ItemDatabaseFailure) {
        try translated {
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO teams (identifier, key, name, trusted, expires, revoked)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [team.identifier, Data(team.key), team.name, team.trusted, team.expires, team.revoked])
        }
    }

    /// Inserts the app, or replaces the row with the same name.
    package func setApp(_ app: AppRow) throws(ItemDatabaseFailure) {
        try translated {
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO apps (application, team, level, groups, digest, path, firstseen, lastseen)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    app.application, app.team, app.level, Data(app.groups), Data(app.digest), app.path, app.firstSeen,
                    app.lastSeen,
                ])
        }
    }

    package func deleteApp(_ application: String) throws(ItemDatabaseFailure) {
        try translated { try db.execute(sql: "DELETE FROM apps WHERE application = ?", arguments: [application]) }
    }

    /// Deletes the unsigned program that has not been seen for the longest time.
    /// - Returns: false if there is none.
    package func deleteOldestUnsignedApp() throws(ItemDatabaseFailure) -> Bool {
        try translated {
            try db.execute(
                sql: """
                    DELETE FROM apps WHERE application IN
                        (SELECT application FROM apps WHERE team IS NULL ORDER BY lastseen, application LIMIT 1)
                    """)
            return db.changesCount > 0
        }
    }

    package func set(_ value: [UInt8], named name: String) throws(ItemDatabaseFailure) {
        try translated {
            try db.execute(
                sql: "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)", arguments: [name, Data(value)])
        }
    }

    package func removeSetting(named name: String) throws(ItemDatabaseFailure) {
        try translated { try db.execute(sql: "DELETE FROM settings WHERE name = ?", arguments: [name]) }
    }
}

extension TeamRow {
    fileprivate init(_ row: Row) throws(ItemDatabaseFailure) {
        self.init(
            identifier: try row.value("identifier"), key: try row.bytes("key"), name: try row.value("name"),
            trusted: try row.value("trusted"), expires: try row.valueIfAny("expires"),
            revoked: try row.valueIfAny("revoked"))
    }
}

extension AppRow {
    fileprivate init(_ row: Row) throws(ItemDatabaseFailure) {
        self.init(
            application: try row.value("application"), team: try row.valueIfAny("team"),
            level: try row.value("level"), groups: try row.bytes("groups"), digest: try row.bytes("digest"),
            path: try row.value("path"), firstSeen: try row.value("firstseen"), lastSeen: try row.value("lastseen"))
    }
}

/// SQLite's columns accept values of any type. A value of another type than expected is damage and must not end the
/// process.
extension Row {
    fileprivate func value<Value: DatabaseValueConvertible>(_ column: String) throws(ItemDatabaseFailure) -> Value {
        guard let value = Value.fromDatabaseValue(self[column]) else {
            throw .damaged("a value of column \(column) has another type")
        }
        return value
    }

    fileprivate func valueIfAny<Value: DatabaseValueConvertible>(
        _ column: String
    ) throws(ItemDatabaseFailure) -> Value? {
        let found: DatabaseValue = self[column]
        return found.isNull ? nil : try value(column)
    }

    fileprivate func bytes(_ column: String) throws(ItemDatabaseFailure) -> [UInt8] {
        [UInt8](try value(column) as Data)
    }
}
