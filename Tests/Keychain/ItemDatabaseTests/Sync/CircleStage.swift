import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel

/// A device in a circle, and the contents of its rows.
enum CircleStage {
    static let device = token(1, 90)

    static func name(_ number: Int) -> [UInt8] { token(number, 91) }

    static func content(_ number: Int, digest: Int? = nil) -> SharedContent {
        SharedContent(
            name: name(number), zone: 1, digest: token(digest ?? number, 92) + token(digest ?? number, 93))
    }

    static func listing(_ number: Int, digest: Int? = nil) -> RowListing {
        .listed(content(number, digest: digest), device: device)
    }

    /// A synchronizable row with the name of its number.
    static func shared(
        _ number: Int, in itemClass: ItemClass = .genericPassword, group: String = "g", keyClass: UInt8 = 6,
        rowID: Int64? = nil
    ) -> ItemRow {
        var shared = row(number, in: itemClass, group: group, keyClass: keyClass, sync: true, rowID: rowID)
        shared.listing = listing(number)
        return shared
    }

    static func version(_ number: Int, dot: Bool = true) -> SyncVersionRow {
        SyncVersionRow(
            version: token(number, 94) + token(number, 95), base: number > 5 ? token(number, 96) + token(0, 97) : nil,
            dot: dot ? SyncDotRow(device: device, zone: 2, number: .max - UInt64(number)) : nil, state: 1, zone: 2,
            digest: number.isMultiple(of: 2) ? content(number).digest : nil)
    }
}

extension DatabaseFile {
    /// Opens the database of a device in a circle.
    func openInCircle() throws -> ItemDatabase {
        let database = try open()
        try database.write { try $0.enterCircle(as: CircleStage.device) }
        return database
    }

    /// The tables of sync that have rows.
    func syncTablesInUse() throws -> Set<String> {
        try raw { db in
            let tables = try String.fetchAll(
                db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' AND name GLOB 'sync*'")
            return Set(try tables.filter { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)") ?? 0 > 0 })
        }
    }

    /// The file as a process that is killed now would leave it.
    func copyAfterKill() throws -> DatabaseFile {
        let copy = try DatabaseFile()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        }
        return copy
    }
}

extension ItemDatabase {
    func change(of number: Int) throws -> SyncChangeRow? {
        try read { try $0.syncChange(of: CircleStage.name(number)) }
    }

    func item(_ number: Int) throws -> SyncItemRow? {
        try read { try $0.syncItem(named: CircleStage.name(number)) }
    }

    var changes: [SyncChangeRow] {
        get throws { try read { try $0.syncChanges() } }
    }
}
