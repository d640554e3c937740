import GRDB
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import Synchronization
import Testing

/// The versions of calls, which their transactions make.
@Suite struct SyncStampTests {
    private typealias Stage = CircleStage

    private static func clock(_ time: UInt64, epoch: UInt32 = 1, count: UInt32 = 0) -> SyncClockRow {
        SyncClockRow(epoch: epoch, time: time, count: count)
    }

    /// A device that has joined a circle, at the time 100.
    private static func joined(clock: SyncClockRow = clock(0)) throws -> (DatabaseFile, ItemDatabase) {
        let file = try DatabaseFile()
        file.time.withLock { $0 = 100 }
        let database = try file.openInCircle()
        try database.write { writer in
            try writer.setSyncValue([0, 0, 0, 0, 0, 0, 0, 1], named: SyncValueName.hasJoined)
            try writer.raiseSyncClock(to: clock)
        }
        return (file, database)
    }

    private static func nameless(_ number: Int, leavesName: Bool = false) -> ItemRow {
        var row = Stage.shared(number)
        row.listing = .later(leavesName: leavesName)
        return row
    }

    private static func stamp(of row: ItemRow, _ database: ItemDatabase) throws -> SyncStampRow? {
        try database.read { try $0.stampOfUnnamed(row.place) }
    }

    @Test(
        "an add, an update and a deletion keep the clock of their transactions, and what is received later does not move it"
    )
    func calls() throws {
        let (file, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        #expect(try database.change(of: 1)?.stamp == .call(Self.clock(100)))
        file.time.withLock { $0 = 90 }
        try database.write { try $0.update(Stage.shared(1)) }
        #expect(try database.change(of: 1)?.stamp == .call(Self.clock(100, count: 1)), "a clock that was set back")
        try database.write { _ = try $0.raiseSyncClock(to: Self.clock(500, count: 7)) }
        #expect(try database.change(of: 1)?.stamp == .call(Self.clock(100, count: 1)))
        try database.write { try $0.delete(Stage.shared(1), departure: .everywhere) }
        #expect(try database.change(of: 1)?.stamp == .call(Self.clock(500, count: 8)), "later than what was received")
    }

    @Test("a device that has not joined gives no versions, and joining drops them") func joining() throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        try database.write { try $0.insert(Stage.shared(1)) }
        #expect(try database.change(of: 1)?.stamp == SyncStampRow.none)
        let (_, other) = try Self.joined()
        try other.write { try $0.insert(Stage.shared(1)) }
        try other.write { try $0.insert(Self.nameless(2)) }
        try other.write { try $0.dropSyncVersions() }
        #expect(try other.change(of: 1)?.stamp == SyncStampRow.none)
        #expect(try Self.stamp(of: Self.nameless(2), other) == SyncStampRow.none)
    }

    @Test("a row without a name keeps the version of the call, holds up what comes in, and hands it on with its name")
    func nameless() throws {
        let (file, database) = try Self.joined()
        let row = Self.nameless(1)
        try database.write { try $0.insert(row) }
        #expect(try database.read { try $0.hasCallWithoutName() })
        #expect(try Self.stamp(of: row, database) == .call(Self.clock(100)))
        file.time.withLock { $0 = 200 }
        try database.write { try $0.list(row.place, as: Stage.listing(1)) }
        #expect(try database.change(of: 1)?.stamp == .call(Self.clock(100)))
        #expect(try !database.read { try $0.hasCallWithoutName() })
    }

    @Test(
        "a primary key change without keys ends the former name at once, and later changes of the row do not move that")
    func formerName() throws {
        let (file, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        file.time.withLock { $0 = 200 }
        try database.write { try $0.update(Self.nameless(1, leavesName: true)) }
        file.time.withLock { $0 = 300 }
        try database.write { try $0.update(Self.nameless(1)) }
        let deletion = try database.change(of: 1)
        #expect(deletion?.kind == .deletedEverywhere && deletion?.stamp == .call(Self.clock(200)))
        #expect(try Self.stamp(of: Self.nameless(1), database) == .call(Self.clock(300)))
        #expect(try database.item(1)?.place == nil)
    }

    @Test("a row that keeps its name is deleted by it, also after a change without keys") func keptName() throws {
        let (_, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        try database.write { try $0.update(Self.nameless(1)) }
        #expect(try database.change(of: 1) == nil, "what waited is replaced by what is reported with the name")
        #expect(try database.item(1)?.place == Stage.shared(1).place)
        try database.write { try $0.delete(Stage.shared(1), departure: .everywhere) }
        #expect(try database.change(of: 1)?.kind == .deletedEverywhere)
    }

    @Test("in a full epoch calls wait, and get their versions in their order when the next epoch is learned")
    func full() throws {
        let (file, database) = try Self.joined(clock: Self.clock(.max, count: .max - 1))
        try database.write { try $0.insert(Stage.shared(1)) }
        try database.write { try $0.insert(Self.nameless(2)) }
        try database.write { try $0.insert(Stage.shared(3)) }
        #expect(try database.change(of: 1)?.stamp == .call(Self.clock(.max, count: .max)))
        #expect(try Self.stamp(of: Self.nameless(2), database) == .waitingCall(epoch: 1, time: 100))
        file.time.withLock { $0 = 900 }
        #expect(try database.write { try $0.raiseSyncClock(to: Self.clock(0, epoch: 2)) })
        #expect(try Self.stamp(of: Self.nameless(2), database) == .call(Self.clock(100, epoch: 2)))
        #expect(try database.change(of: 3)?.stamp == .call(Self.clock(100, epoch: 2, count: 1)))
        #expect(try database.read { try $0.syncClock() } == Self.clock(100, epoch: 2, count: 1))
    }

    @Test(
        "a restored row has no version, keeps the name of the row that it replaces, and over a waiting call is one itself"
    )
    func restored() throws {
        for isOverCall in [false, true] {
            let (_, database) = try Self.joined()
            try database.write { writer in
                try writer.insert(Stage.shared(1))
                try writer.setSyncItem(Stage.version(1), named: Stage.name(1))
                if !isOverCall { try writer.forgetSyncChange(of: Stage.name(1), upTo: .max) }
            }
            var row = row(7, sync: true)
            row.listing = .later(leavesName: false)
            try database.write { [row] in try $0.replace(Stage.shared(1), byRestored: row) }
            #expect(try Self.stamp(of: row, database)?.isOfCall == isOverCall)
            #expect(try database.item(1)?.place == row.place)
        }
    }

    @Test("the time of a deletion is known after its tombstone, and that of a call before it has one") func deletions()
        throws
    {
        let (_, database) = try Self.joined()
        func deletion() throws -> SyncDeletion? { try database.read { try $0.syncDeletion(of: Stage.name(1)) } }
        #expect(try deletion() == nil)
        try database.write { try $0.noteForgottenDeletion(of: Stage.name(1), at: 50) }
        #expect(try deletion() == .known(time: 50))
        try database.write { try $0.insert(Stage.shared(1)) }
        #expect(try deletion() == nil, "something was written after it")
        try database.write { try $0.delete(Stage.shared(1), departure: .everywhere) }
        #expect(try deletion() == .waiting(time: 100))
        try database.write { writer in
            for number in 2...4 { try writer.noteForgottenDeletion(of: Stage.name(number), at: UInt64(number)) }
            try writer.forgetOldDeletions()
        }
        #expect(try database.read { try $0.syncDeletion(of: Stage.name(3)) } == .known(time: 3))
    }

    @Test("a row that is named again keeps the version of the call that waits under its name") func namedAgain() throws
    {
        let (file, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        let change = try database.change(of: 1)
        try database.write { try $0.nameAllAgain() }
        #expect(try Self.stamp(of: Stage.shared(1), database) == SyncStampRow.none)
        file.time.withLock { $0 = 200 }
        try database.write { try $0.list(Stage.shared(1).place, as: Stage.listing(1)) }
        #expect(try database.change(of: 1) == change && change?.stamp == .call(Self.clock(100)))
        #expect(try Self.stamp(of: Stage.shared(1), database) == nil)
    }

    /// A version of the item that has the content of its row, or of an item that is gone.
    private static func version(
        at time: UInt8, of number: Int? = nil, isLive: Bool = true
    ) -> SyncVersionRow {
        SyncVersionRow(
            version: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, time] + [UInt8](repeating: 0, count: 20), base: nil,
            dot: SyncDotRow(device: Stage.device, zone: 2, number: 1), state: isLive ? 1 : 2, zone: 1,
            digest: number.map { Stage.content($0).digest })
    }

    /// Gives the item of a row its version, as the exchange does when it publishes the change.
    private static func publish(_ number: Int, _ database: ItemDatabase) throws {
        try database.write { writer in
            try writer.setSyncItem(version(at: 4, of: number), named: Stage.name(number))
            try writer.forgetSyncChange(of: Stage.name(number), upTo: .max)
        }
    }

    /// Takes the name from a row, as that of another circle is not its name.
    private static func unlink(_ number: Int, _ file: DatabaseFile) throws {
        let row = Stage.shared(number).rowID
        try file.raw { try $0.execute(sql: "UPDATE genp SET syncname = NULL WHERE rowid = \(row)") }
    }

    @Test("a row that is named again is marked if its version has it, whatever its date, and then nothing is reported")
    func asItsVersion() throws {
        let (file, database) = try Self.joined()
        for number in 1...3 {
            try database.write { try $0.insert(Stage.shared(number)) }
            try Self.publish(number, database)
        }
        try Self.unlink(3, file)
        try database.write { writer in
            try writer.setSyncItem(Self.version(at: 9, isLive: false), named: Stage.name(2))
            try writer.nameAllAgain()
        }
        #expect(try Self.stamp(of: Stage.shared(1), database) == .namedAgain)
        #expect(try Self.stamp(of: Stage.shared(2), database) == SyncStampRow.none, "the version has no content")
        #expect(try Self.stamp(of: Stage.shared(3), database) == SyncStampRow.none, "the row has no name")
        #expect(try !database.read { try $0.hasCallWithoutName() })
        try database.write { try $0.list(Stage.shared(1).place, as: Stage.listing(1)) }
        #expect(try database.change(of: 1) == nil)
        #expect(try Self.stamp(of: Stage.shared(1), database) == nil)
    }

    @Test("a row that is marked as its version, and is not, is reported as a change without a version")
    func notAsItsVersion() throws {
        let (_, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        try Self.publish(1, database)
        try database.write { writer in
            try writer.nameAllAgain()
            try writer.list(Stage.shared(1).place, as: Stage.listing(1, digest: 2))
        }
        let change = try database.change(of: 1)
        #expect(change?.kind == .put && change?.stamp == SyncStampRow.none)
    }

    @Test("a call makes a row that is named again its own") func callOverNamedAgain() throws {
        let (_, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        try Self.publish(1, database)
        try database.write { writer in
            try writer.nameAllAgain()
            try writer.update(Self.nameless(1))
            try writer.nameAllAgain()
        }
        #expect(try Self.stamp(of: Self.nameless(1), database)?.isOfCall == true)
    }

    @Test("a row whose change gets its version while it waits to be named again is as that version from then on")
    func settled() throws {
        for isRestored in [false, true] {
            let (_, database) = try Self.joined()
            try database.write { writer in
                try writer.insert(Stage.shared(1), isRestored: isRestored)
                try writer.nameAllAgain()
            }
            #expect(try Self.stamp(of: Stage.shared(1), database) == (isRestored ? .restored : SyncStampRow.none))
            try Self.publish(1, database)
            #expect(try Self.stamp(of: Stage.shared(1), database) == .namedAgain)
        }
        let (_, database) = try Self.joined()
        try database.write { writer in
            try writer.insert(Stage.shared(1))
            try writer.nameAllAgain()
            try writer.setSyncItem(Self.version(at: 4, of: 2), named: Stage.name(1))
            try writer.forgetSyncChange(of: Stage.name(1), upTo: .max)
        }
        #expect(try Self.stamp(of: Stage.shared(1), database) == SyncStampRow.none, "the version has another content")
    }

    @Test("joining takes the versions of calls alone: a restored row stays one, and a row that is named again")
    func
        joiningKeepsOrigins() throws
    {
        let (_, database) = try Self.joined()
        try database.write { try $0.insert(Stage.shared(1)) }
        try Self.publish(1, database)
        try database.write { writer in
            try writer.nameAllAgain()
            var row = Self.nameless(2)
            try writer.insert(row, isRestored: true)
            row = Self.nameless(3)
            try writer.insert(row)
            try writer.insert(Stage.shared(4), isRestored: true)
            try writer.dropSyncVersions()
        }
        #expect(try Self.stamp(of: Stage.shared(1), database) == .namedAgain)
        #expect(try Self.stamp(of: Self.nameless(2), database) == .restored)
        #expect(try Self.stamp(of: Self.nameless(3), database) == SyncStampRow.none)
        #expect(try database.change(of: 4)?.stamp == .restored)
    }

    @Test("a row that a new identity lists anew is not as a version, and a restored one stays one") func renewed()
        throws
    {
        for isRestored in [false, true] {
            let (_, database) = try Self.joined()
            try database.write { try $0.insert(Stage.shared(1)) }
            try Self.publish(1, database)
            try database.write { writer in
                try writer.nameAllAgain()
                try writer.nameAgain(Stage.shared(1).place, isRestored: isRestored)
            }
            #expect(try Self.stamp(of: Stage.shared(1), database) == (isRestored ? .restored : SyncStampRow.none))
        }
        let (_, database) = try Self.joined()
        try database.write { writer in
            try writer.insert(Self.nameless(1), isRestored: true)
            try writer.nameAgain(Self.nameless(1).place, isRestored: false)
        }
        #expect(try Self.stamp(of: Self.nameless(1), database) == .restored, "it waited as that")
    }

    @Test(
        "what waits in a file of format 8 counts as called at the migration if the device has joined, and a row without a name never does"
    )
    func migration() throws {
        let (file, database) = try Self.joined(clock: Self.clock(70, count: 4))
        try database.write { writer in
            for number in [1, 3, 4, 5] { try writer.insert(Stage.shared(number)) }
            // The rows were modified one microsecond after the time of their number.
            for (number, time) in [(3, 4), (4, 4), (5, 4)] as [(Int, UInt8)] {
                try writer.setSyncItem(Self.version(at: time, isLive: number != 5), named: Stage.name(number))
                try writer.forgetSyncChange(of: Stage.name(number), upTo: .max)
            }
            try writer.insert(Self.nameless(2))
            try writer.nameAllAgain()
        }
        database.close()
        let statements = """
            DROP INDEX syncunnamed_calls; DROP TABLE syncdeleted; DROP TABLE formerdigests; DELETE FROM grdb_migrations WHERE identifier = '9';
            UPDATE syncclock SET time = 70, count = 4;
            ALTER TABLE syncchanges DROP COLUMN origin; ALTER TABLE syncchanges DROP COLUMN epoch;
            ALTER TABLE syncchanges DROP COLUMN time; ALTER TABLE syncchanges DROP COLUMN count;
            ALTER TABLE syncunnamed DROP COLUMN change; ALTER TABLE syncunnamed DROP COLUMN origin;
            ALTER TABLE syncunnamed DROP COLUMN epoch; ALTER TABLE syncunnamed DROP COLUMN time;
            ALTER TABLE syncunnamed DROP COLUMN count;
            """
        try file.raw { try $0.execute(sql: statements) }
        let migrated = try file.open()
        let call = SyncStampRow.call(Self.clock(70, count: 5))
        #expect(try migrated.change(of: 1)?.stamp == call)
        func stamp(_ number: Int) throws -> SyncStampRow? { try Self.stamp(of: Stage.shared(number), migrated) }
        #expect(try stamp(1) == SyncStampRow.none, "the change under its name has the version")
        #expect(try stamp(2) == SyncStampRow.none, "it was never in the circle")
        #expect(try stamp(3) == .namedAgain, "its version is as new")
        #expect(try stamp(4) == .namedAgain, "its date tells nothing")
        #expect(try stamp(5) == SyncStampRow.none, "its item is gone")
        #expect(try !migrated.read { try $0.hasCallWithoutName() }, "nothing is held up")
    }
}
