import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// The versions of items that lost.
@Suite struct SyncConflictTests {
    private typealias Stage = CircleStage

    /// An item of another device that has no row here.
    private static let lost = row(3, in: .internetPassword, sync: true)

    @Test("a conflict is the row as it was, sealed")
    func conflicts() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { writer in
            try writer.insert(Stage.shared(1))
            try writer.keepSyncConflict(
                rowAt: Stage.shared(1).place, name: Stage.name(1), version: nil, reason: .overruled, at: 100)
            try writer.keepSyncConflict(
                row: Self.lost, name: Stage.name(3), version: Stage.version(3).version, reason: .deleted, at: 200)
        }
        let conflicts = try database.read { try $0.syncConflicts() }
        #expect(conflicts.map(\.name) == [Stage.name(1), Stage.name(3)])
        #expect(conflicts.map(\.reason) == [.overruled, .deleted])
        #expect(conflicts.map(\.version) == [nil, Stage.version(3).version])
        for (conflict, original) in zip(conflicts, [row(1), Self.lost]) {
            let copy = conflict.row
            #expect(copy.itemClass == original.itemClass && copy.accessGroup == original.accessGroup)
            #expect(copy.sealedAttributes == original.sealedAttributes && copy.sealedSecret == original.sealedSecret)
            #expect(copy.wrappedItemKey == original.wrappedItemKey && copy.identifier == original.identifier)
            #expect(copy.creationDate == original.creationDate && copy.modificationDate == original.modificationDate)
            #expect(copy.binding == original.binding && copy.keyClass == original.keyClass && copy.isSynchronizable)
            #expect(copy.syncIdentifier == original.syncIdentifier && !copy.isTombstone)
        }
    }

    @Test("a conflict is found by its number, and listed without its secret where that is not wanted")
    func reading() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { try Self.keep(at: 1, $0) }
        let listed = try #require(try database.read { try $0.syncConflicts(withSecret: false) }.first)
        #expect(listed.row.sealedSecret == [] && listed.row.sealedAttributes == Self.lost.sealedAttributes)
        let found = try #require(try database.read { try $0.syncConflict(listed.id) })
        #expect(found.id == listed.id && found.row.sealedSecret == Self.lost.sealedSecret)
        #expect(try database.read { try $0.syncConflict(listed.id + 1) } == nil)
        #expect(try database.write { try $0.deleteSyncConflict(listed.id) })
        #expect(try !database.write { try $0.deleteSyncConflict(listed.id) })
    }

    private static func keep(at kept: Int64, _ writer: ItemWriter) throws {
        try writer.keepSyncConflict(
            row: lost, name: Stage.name(4), version: nil, reason: .joined, at: kept)
    }

    @Test("bounded conflicts: of 1,001 conflicts 1,000 are left, without the oldest")
    func boundedConflicts() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { writer in
            for number in 0..<1000 as Range<Int64> { try Self.keep(at: 300 + number, writer) }
        }
        let full = try database.read { try $0.syncConflicts() }.map(\.id)
        #expect(full.count == 1000)
        // The date does not decide: a clock may have been set back since.
        try database.write { try Self.keep(at: 1, $0) }
        let kept = try database.read { try $0.syncConflicts() }
        #expect(kept.count == 1000)
        #expect(kept.dropLast().map(\.id) == Array(full.dropFirst()))
        #expect(kept.last?.kept == 1)
    }

    @Test("a conflict is deleted when another is kept more than 90 days later, also a copy of a row")
    func conflictAge() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { writer in
            try writer.insert(Stage.shared(1))
            try Self.keep(at: 100, writer)
            try Self.keep(at: 101, writer)
            try writer.keepSyncConflict(
                rowAt: Stage.shared(1).place, name: Stage.name(1), version: nil, reason: .overruled,
                at: 101 + ItemWriter.syncConflictAge)
        }
        #expect(try database.read { try $0.syncConflicts() }.map(\.kept) == [101, 101 + ItemWriter.syncConflictAge])
        try database.write { try Self.keep(at: 102 + ItemWriter.syncConflictAge, $0) }
        #expect(try database.read { try $0.syncConflicts() }.count == 2)
    }

    @Test("a number of a conflict is not used again")
    func conflictNumbers() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { try Self.keep(at: 1, $0) }
        let first = try #require(try database.read { try $0.syncConflicts() }.first).id
        try database.write { writer in
            try writer.deleteSyncConflict(first)
            try Self.keep(at: 2, writer)
        }
        #expect(try #require(try database.read { try $0.syncConflicts() }.first).id > first)
    }
}
