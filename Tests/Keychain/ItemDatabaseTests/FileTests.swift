import Foundation
import GRDB
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// The treatment of files that are old, new, damaged or in the way.
@Suite struct FileTests {
    /// As the version of that format wrote it: see the `README.md` beside it.
    private static func fixture(_ format: Int) -> URL {
        PackageFolder.file("Fixtures/Formats/\(format)/keychain.db")
    }

    @Test("the file of each format opens, and its rows are as they were written", arguments: 1...9)
    func formats(_ format: Int) throws {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
        let database = try file.open()
        #expect(try database.integrityFindings().isEmpty)
        for itemClass in allTables {
            var filter = RowFilter(itemClass: itemClass)
            filter.isTombstone = nil
            let rows = try database.read { try $0.rows(matching: filter, limit: 9, withSecret: true) }
            if format < 4, [.certificate, .key].contains(itemClass) {
                #expect(rows.isEmpty)
                continue
            }
            #expect(rows.map(\.identifier) == [1, 2, 3].map { token($0, 1) })
            #expect(rows.map(\.isTombstone) == [false, false, true])
            #expect(rows.map(\.isSynchronizable) == [false, true, true])
            #expect(rows.map(\.sealedSecret) == [1, 2, 3].map { row($0).sealedSecret })
            #expect(rows.map(\.binding) == Array(repeating: format < 5 ? .none : .withSecret, count: 3))
            filter.tokens = [(Self.searched(itemClass), token(2, 9))]
            #expect(try database.identifiers(filter) == [token(2, 1)])
            filter.tokens = []
            filter.identifier = token(3, 1)
            #expect(try database.identifiers(filter) == [token(3, 1)])
        }
        #expect(database.newRowNumber(at: 0) == 4)
        #expect(try database.read { try $0.metadataKey(ofClass: 6) } == token(6, 7))
        #expect(try database.read { try $0.deviceKey(named: "search") } == token(0, 8))
        let numbers = [4, 5, 6, 7]
        try database.write { writer in
            for (number, itemClass) in zip(numbers, allTables) { try writer.insert(row(number, in: itemClass)) }
        }
    }

    /// Returns the attribute that finds the second row of each table.
    private static func searched(_ itemClass: ItemClass) -> AttributeName {
        switch itemClass {
        case .genericPassword, .internetPassword: .account
        case .certificate, .identity: .publicKeyHash
        case .key: .applicationTag
        }
    }

    @Test("the teams, apps and options are as they were written", arguments: [3, 4, 5, 6, 7, 8, 9])
    func registries(_ format: Int) throws {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
        let database = try file.open()
        #expect(try database.read { try $0.teams() } == [team(1), team(2)])
        #expect(try database.read { try $0.apps() } == [app(1), app(2)])
        #expect(try database.read { try $0.setting(named: "option") } == token(1, 12))
    }

    @Test("items that ended are remembered as they were written, and none are in files of the formats before")
    func ended() throws {
        for format in 1...9 {
            let file = try DatabaseFile()
            try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
            let database = try file.open()
            let endings = try database.read { reader in
                try allTables.flatMap { itemClass in
                    try reader.endedRows(matching: RowFilter(itemClass: itemClass), limit: 9).map(\.ending)
                }
            }
            let expected = Ending(.fingersChanged, at: 800_000_000, isNoticedLater: true)
            #expect(endings == (format >= 6 ? Array(repeating: expected, count: allTables.count) : []))
            #expect(
                try database.read { try $0.fingerChange(notBefore: 0) } == (format >= 6 ? 799_000_000_000_000 : nil))
        }
    }

    /// The second row of `inet` has no name in the first of these files, and waits to be reported in the others.
    @Test("what a device knew of its circle is as it was written", arguments: [7, 8, 9])
    func circle(_ format: Int) throws {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
        let unnamed = RowPlace(.internetPassword, 2)
        let reported = SyncChangeRow(
            name: CircleStage.name(2), number: 10, kind: .put, content: CircleStage.content(2))
        try file.open().read { reader throws in
            #expect(try reader.syncDevice() == CircleStage.device)
            #expect(
                try reader.syncItems() == [
                    SyncItemRow(
                        name: CircleStage.name(1), place: RowPlace(.genericPassword, 2), known: CircleStage.version(1))
                ] + (format == 7 ? [] : [SyncItemRow(name: reported.name, place: unnamed, known: nil)])
                    + [SyncItemRow(name: CircleStage.name(3), place: nil, known: nil)])
            #expect(
                try reader.syncChanges() == [
                    SyncChangeRow(name: CircleStage.name(3), number: 9, kind: .deletedEverywhere)
                ]
                    + (format == 7 ? [] : [reported]))
            #expect(try reader.syncName(of: RowPlace(.genericPassword, 2)) == CircleStage.name(1))
            #expect(
                try reader.unnamedRows(of: .internetPassword, after: 0, limit: 9) == (format == 7 ? [unnamed] : []))
            #expect(try reader.syncClock() == SyncClockRow(epoch: 1, time: 2, count: 3))
            #expect(try reader.syncStatements() == [SyncStatementRow(hash: [2], bytes: [20])])
            #expect(try reader.syncKeys() == [SyncKeyRow(epoch: [5], zone: 2, number: 1, wrapped: [6])])
            let conflicts = try reader.syncConflicts()
            #expect(conflicts.map(\.name) == [CircleStage.name(3)])
            #expect(conflicts.map(\.row.accessGroup) == ["g"])
        }
    }

    @Test("openers that find an old file at the same moment all have it in the new format", arguments: [1, 7, 8])
    func together(_ format: Int) throws {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
        let failures = Collected<String>()
        onThreads(8) { _ in
            do { try file.open().close() } catch { failures.append("\(error)") }
        }
        #expect(failures.all == [])
        #expect(try file.open().integrityFindings().isEmpty)
    }

    @Test("a file of a format before is in no circle, and its change numbers go on from the highest", arguments: 1...6)
    func noCircle(_ format: Int) throws {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
        let before = try file.raw { try Int.fetchOne($0, sql: "SELECT max(change) FROM genp WHERE sync = 1") ?? 0 }
        let database = try file.open()
        #expect(try database.read { try $0.syncDevice() } == nil)
        #expect(try file.syncTablesInUse().isEmpty)
        try database.write { try $0.insert(row(70, sync: true)) }
        let number = try file.raw { try Int.fetchOne($0, sql: "SELECT change FROM genp WHERE rowid = 71") ?? 0 }
        #expect(number > before)
    }

    @Test("files of the first two formats have no teams, apps and options", arguments: [1, 2])
    func noRegistries(_ format: Int) throws {
        let file = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(format), to: URL(fileURLWithPath: file.path))
        let database = try file.open()
        #expect(try database.read { try $0.teams() }.isEmpty)
        #expect(try database.read { try $0.apps() }.isEmpty)
        #expect(try database.read { try $0.setting(named: "option") } == nil)
    }

    @Test("a new file has exactly the tables and indexes of the last fixture: another schema is another format")
    func schemaOfLastFormat() throws {
        let old = try DatabaseFile()
        try FileManager.default.copyItem(at: Self.fixture(9), to: URL(fileURLWithPath: old.path))
        let new = try DatabaseFile()
        try new.open().close()
        let expected = try Self.schema(of: old)
        #expect(expected.count > 10)
        #expect(try Self.schema(of: new) == expected)
    }

    @Test("a new file has what all the steps, one after the other, make of an empty one")
    func allSteps() throws {
        let stepped = try DatabaseFile()
        try stepped.raw { db in
            try db.execute(sql: "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
            for step in Migration.all {
                try db.execute(sql: step.statements)
                try db.execute(sql: "INSERT INTO grdb_migrations VALUES (?)", arguments: [step.format])
            }
        }
        let new = try DatabaseFile()
        try new.open().close()
        #expect(try Self.schema(of: new) == Self.schema(of: stepped))
        #expect(try Self.content(of: new) == Self.content(of: stepped))
        // Opened once more, both stay as they are, and the log of the stepped one has been cut off.
        for file in [new, stepped] { try file.open().close() }
        #expect(try Self.content(of: new) == Self.content(of: stepped))
        let version = "PRAGMA user_version"
        #expect(
            try new.raw { try Int.fetchOne($0, sql: version) } == stepped.raw { try Int.fetchOne($0, sql: version) })
    }

    /// The rows of each table.
    private static func content(of file: DatabaseFile) throws -> [String] {
        try file.raw { db in
            try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
                .map { table in "\(table): \(try Row.fetchAll(db, sql: "SELECT * FROM \(table)"))" }
        }
    }

    /// The statements behind the tables and indexes, without spaces that mean nothing.
    private static func schema(of file: DatabaseFile) throws -> [String] {
        let statements = "SELECT name || ': ' || coalesce(sql, '') FROM sqlite_master ORDER BY name"
        return try file.raw { try String.fetchAll($0, sql: statements) }
            .map { text in
                text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                    .replacing(" ,", with: ",").replacing("( ", with: "(").replacing(" )", with: ")")
                    .replacing("\"", with: "")
            }
    }

    @Test("a database of a newer version is refused and left alone")
    func tooNew() throws {
        let file = try DatabaseFile()
        try file.open().write { try $0.insert(row(1)) }
        try file.raw { try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99')") }
        #expect(throws: ItemDatabaseFailure.tooNew) { _ = try file.open() }
        #expect(try file.raw { try Int.fetchOne($0, sql: "SELECT count(*) FROM genp") } == 1)
    }

    @Test("a file that is not a database is named damaged and left alone")
    func noDatabase() throws {
        let file = try DatabaseFile()
        let content = Data(repeating: 0x41, count: 8192)
        try content.write(to: URL(fileURLWithPath: file.path))
        let failure = #expect(throws: ItemDatabaseFailure.self) { _ = try file.open() }
        #expect(failure?.isDamage == true)
        #expect(FileManager.default.contents(atPath: file.path) == content)
    }

    @Test("a closed database has no file open, also after reads by several threads, whose statements stay until then")
    func closed() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { try $0.insert(row(1)) }
        DispatchQueue.concurrentPerform(iterations: 32) { _ in
            let rows = try? database.read {
                try $0.rows(matching: RowFilter(itemClass: .genericPassword), limit: 9, withSecret: true)
            }
            #expect(rows?.count == 1)
        }
        #expect(!Self.openFiles(at: file.path).isEmpty)
        database.close()
        #expect(Self.openFiles(at: file.path).isEmpty)
    }

    /// The descriptors of this process that are open at the database or beside it.
    private static func openFiles(at path: String) -> [String] {
        let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        .filter { $0.hasPrefix(path) }
    }

    @Test("a damaged page is found by the check and named damaged by the call that meets it")
    func damagedPage() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        try database.write { writer in
            for number in 0..<200 { try writer.insert(row(number, secretByteCount: 600)) }
        }
        database.close()
        try file.raw { db in _ = try Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        // The root page of the item table becomes noise.
        let page = try #require(
            try file.raw { try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'genp'") })
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: file.path))
        try handle.seek(toOffset: UInt64((page - 1) * 4096))
        try handle.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        try handle.close()
        let reopened = try file.open()
        #expect(try !reopened.integrityFindings().isEmpty)
        let failure = #expect(throws: ItemDatabaseFailure.self) { _ = try reopened.identifiers() }
        #expect(failure?.isDamage == true)
        // The other table is unharmed.
        try reopened.write { try $0.insert(row(1, in: .internetPassword)) }
    }

    @Test("everything is gone after the database forgets everything")
    func forget() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.insert(row(1))
            for (number, itemClass) in zip(2..., allTables) { try writer.insert(row(number, in: itemClass)) }
            try writer.setMetadataKey([1], ofClass: 6)
            try writer.setDeviceKey([2], named: "search")
        }
        try database.write { try $0.deleteEverything() }
        for itemClass in allTables { #expect(try database.identifiers(RowFilter(itemClass: itemClass)).isEmpty) }
        #expect(try database.read { try $0.metadataKey(ofClass: 6) } == nil)
        #expect(try database.read { try $0.deviceKey(named: "search") } == nil)
    }

    @Test("the removal of an app takes its groups' rows in every table, tombstones too, and nothing else")
    func removal() throws {
        let database = try DatabaseFile().open()
        try database.write { writer in
            try writer.insert(row(1, group: "a"))
            try writer.insert(row(2, group: "a", tombstone: true))
            try writer.insert(row(3, in: .internetPassword, group: "b"))
            try writer.insert(row(4, group: "c"))
            try writer.insert(row(5, in: .certificate, group: "b"))
            try writer.insert(row(6, in: .key, group: "a"))
            try writer.insert(row(7, in: .key, group: "c"))
        }
        #expect(try database.write { try $0.deleteRows(inAccessGroups: ["a", "b"]) } == 5)
        #expect(try database.identifiers(RowFilter(itemClass: .key)) == [token(7, 1)])
        #expect(try database.identifiers(RowFilter(itemClass: .certificate)).isEmpty)
        var filter = RowFilter(itemClass: .genericPassword)
        filter.isTombstone = nil
        #expect(try database.identifiers(filter) == [token(4, 1)])
    }
}

extension ItemDatabaseFailure {
    fileprivate var isDamage: Bool {
        if case .damaged = self { true } else { false }
    }
}
