import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// The tables of sync that only the exchange with other devices writes.
@Suite struct SyncTableTests {
    private typealias Stage = CircleStage

    private static let dots = [
        SyncDotRow(device: Stage.device, zone: 1, number: 1), SyncDotRow(device: Stage.device, zone: 2, number: 1),
        SyncDotRow(device: token(2, 90), zone: 1, number: .max),
    ]

    /// An item of another device that has no row here.
    private static let lost = row(3, in: .internetPassword, sync: true)

    /// Writes to every table and returns what has to be read.
    private static func fill(_ database: ItemDatabase) throws {
        try database.write { writer in
            for number in [1, 4] { try writer.insert(Stage.shared(number)) }
            try writer.insert(row(2, sync: true))
            for number in [1, 3] { try writer.setSyncItem(Stage.version(number), named: Stage.name(number)) }
            try writer.setSyncReplaced(Stage.version(8, dot: false), named: Stage.name(3))
            try writer.raiseSyncClock(to: SyncClockRow(epoch: .max, time: .max, count: .max))
            for dot in dots {
                try writer.setSyncStream(SyncStreamRow(last: dot, mark: dot.zone == 1 ? token(7, 7) : nil))
                try writer.setSyncKnowledge(token(8, dot.zone), of: dot)
                try writer.setSyncPending(token(9, dot.zone), of: dot)
            }
            try writer.setSyncOutbox([1, 2], named: "a/1")
            try writer.setSyncHead([3, 4], of: Stage.device)
            try writer.addSyncDuplicated(token(2, 90))
            try writer.addSyncStatement(SyncStatementRow(hash: [2], bytes: [20]))
            try writer.addSyncStatement(SyncStatementRow(hash: [1], bytes: [10]))
            try writer.addSyncStatement(SyncStatementRow(hash: [2], bytes: [30]))
            for zone: UInt8 in [2, 1] {
                try writer.setSyncKey(SyncKeyRow(epoch: [5], zone: zone, number: 3, wrapped: [zone]))
            }
            try writer.setSyncSnapshot(snapshot(1))
            try writer.setSyncValue([6], named: "joined")
            try writer.keepSyncConflict(
                rowAt: Stage.shared(1).place, name: Stage.name(1), version: nil, reason: .overruled, at: 100)
            try writer.keepSyncConflict(
                row: lost, name: Stage.name(3), version: Stage.version(3).version, reason: .deleted, at: 200)
        }
    }

    private static func snapshot(_ number: UInt64) -> SyncSnapshotRow {
        SyncSnapshotRow(
            number: number, partCount: 3, hash: token(Int(number), 60), vector: [1], byteCount: 70, written: .max,
            wasReadBack: number.isMultiple(of: 2))
    }

    @Test("each table returns what was written to it, after the file was opened again")
    func roundTrips() throws {
        let file = try DatabaseFile()
        let written = try file.openInCircle()
        try Self.fill(written)
        written.close()
        let database = try file.open()
        try database.read { reader throws in
            #expect(try reader.syncDevice() == Stage.device)
            #expect(
                try reader.syncItems() == [
                    SyncItemRow(name: Stage.name(1), place: Stage.shared(1).place, known: Stage.version(1)),
                    SyncItemRow(name: Stage.name(3), place: nil, known: Stage.version(3)),
                    SyncItemRow(name: Stage.name(4), place: Stage.shared(4).place, known: nil),
                ])
            #expect(try reader.syncReplaced() == [Stage.name(3): Stage.version(8, dot: false)])
            #expect(try reader.syncClock() == SyncClockRow(epoch: .max, time: .max, count: .max))
            #expect(try reader.syncStreams().map(\.last) == Self.dots)
            #expect(try reader.syncStreams().map(\.mark) == [token(7, 7), nil, token(7, 7)])
            for dot in Self.dots {
                #expect(try reader.syncKnowledge()[dot] == token(8, dot.zone))
                #expect(try reader.syncPending()[dot] == token(9, dot.zone))
            }
            #expect(try reader.syncOutbox() == ["a/1": [1, 2]])
            #expect(try reader.syncHeads() == [Stage.device: [3, 4]])
            #expect(try reader.syncDuplicated() == [token(2, 90)])
            #expect(
                try reader.syncStatements() == [
                    SyncStatementRow(hash: [2], bytes: [20]), SyncStatementRow(hash: [1], bytes: [10]),
                ])
            #expect(try reader.syncKeys().map(\.zone) == [1, 2])
            #expect(try reader.syncKeys().map(\.wrapped) == [[1], [2]])
            #expect(try reader.syncSnapshots().current == Self.snapshot(1))
            #expect(try reader.syncValue(named: "joined") == [6])
        }
    }

    @Test("everything is forgotten again by its own statement")
    func removals() throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        try Self.fill(database)
        try database.write { writer in
            for number in [1, 4] { try writer.delete(Stage.shared(number), departure: .remote) }
            try writer.list(row(2).place, as: .unlisted(.here))
            for number in [1, 3, 4] {
                try writer.forgetSyncChange(of: Stage.name(number), upTo: .max)
                try writer.setSyncItem(nil, named: Stage.name(number))
                try writer.setSyncReplaced(nil, named: Stage.name(number))
            }
            for dot in Self.dots {
                try writer.setSyncStream(
                    SyncStreamRow(last: SyncDotRow(device: dot.device, zone: dot.zone, number: 0), mark: nil))
                try writer.setSyncKnowledge(nil, of: dot)
                try writer.setSyncPending(nil, of: dot)
            }
            try writer.setSyncOutbox(nil, named: "a/1")
            try writer.setSyncHead(nil, of: Stage.device)
            try writer.setSyncSnapshot(nil)
            for name in ["joined", "device"] { try writer.setSyncValue(nil, named: name) }
            for conflict in try writer.reader.syncConflicts() { try writer.deleteSyncConflict(conflict.id) }
        }
        // A duplicate, a statement and a key are known as long as the circle; the clock never goes back.
        #expect(try file.syncTablesInUse() == ["syncclock", "syncduplicated", "syncstatements", "synckeys"])
    }

    @Test("a circle that is left leaves the items and the conflicts; an erase leaves nothing")
    func forgetting() throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        try Self.fill(database)
        try database.write { try $0.forgetCircle() }
        #expect(try file.syncTablesInUse() == ["syncconflicts"])
        #expect(try database.identifiers() == [token(1, 1), token(2, 1), token(4, 1)])
        try database.write { try $0.enterCircle(as: Stage.device) }
        try database.write { try $0.deleteEverything() }
        #expect(try file.syncTablesInUse().isEmpty)
    }

    @Test("a device that enters a circle has every live synchronizable row to name")
    func entering() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            for itemClass in allTables {
                for number in [3, 1, 2] { try writer.insert(row(number, in: itemClass, sync: number != 2)) }
                try writer.insert(row(4, in: itemClass, sync: true, tombstone: true))
            }
            try writer.enterCircle(as: Stage.device)
        }
        for itemClass in allTables {
            let all = try database.read { try $0.unnamedRows(of: itemClass, after: 0, limit: 9) }
            #expect(all == [RowPlace(itemClass, 2), RowPlace(itemClass, 4)])
            #expect(try database.read { try $0.unnamedRows(of: itemClass, after: 2, limit: 9) } == [all[1]])
        }
    }

    @Test("a newer snapshot moves the one before to the previous ones")
    func snapshots() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { try $0.setSyncSnapshot(Self.snapshot(1)) }
        try database.write { writer in
            try writer.setPreviousSyncSnapshots([Self.snapshot(1)])
            try writer.setSyncSnapshot(Self.snapshot(2))
        }
        let found = try database.read { try $0.syncSnapshots() }
        #expect(found.current == Self.snapshot(2))
        #expect(found.previous == [Self.snapshot(1)])
    }

    @Test("a row with a damaged name has no name, and can be deleted", arguments: [true, false])
    func damagedName(_ isInCircle: Bool) throws {
        let file = try DatabaseFile()
        let database = try isInCircle ? file.openInCircle() : file.open()
        let rows = [Stage.shared(1), Stage.shared(2), Stage.shared(3)]
        try database.write { writer in for row in rows { try writer.insert(row) } }
        try file.raw { try $0.execute(sql: "UPDATE genp SET syncname = CASE rowid WHEN 3 THEN 'text' ELSE x'00' END") }
        try database.write { writer in
            #expect(try writer.reader.syncName(of: rows[0].place) == nil)
            try writer.delete(rows[0], departure: .everywhere)
            try writer.quarantine(rows[1], reason: "", at: 0)
            _ = try writer.deleteRows(inAccessGroups: ["g"])
        }
        #expect(try database.identifiers().isEmpty)
    }

    @Test(
        "values of another type or length are damage",
        arguments: [
            "UPDATE syncitems SET version = x'00'", "UPDATE syncitems SET zone = 'a'",
            "UPDATE syncitems SET class = 'none'", "UPDATE syncitems SET dotdevice = x'00'",
            "UPDATE syncchanges SET class = 'none'",
        ])
    func damage(_ statement: String) throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        try Self.fill(database)
        try file.raw { try $0.execute(sql: statement) }
        let failure = #expect(throws: ItemDatabaseFailure.self) { try database.read { _ = try $0.syncItems() } }
        if case .damaged? = failure {} else { Issue.record("\(String(describing: failure))") }
    }
}
