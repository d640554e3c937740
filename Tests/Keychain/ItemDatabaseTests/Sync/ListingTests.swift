import GRDB
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// The names of shared rows, and the changes that programs of this device made.
@Suite struct ListingTests {
    private typealias Stage = CircleStage

    @Test("outside of a circle no table of sync is written, whatever becomes of a synchronizable row")
    func noCircle() throws {
        let file = try DatabaseFile()
        let database = try file.open()
        var later = row(2, sync: true)
        later.listing = .later(leavesName: false)
        try database.write { [later] writer in
            for row in [Stage.shared(1), later, row(3, sync: true)] { try writer.insert(row) }
            for row in [Stage.shared(1), later, row(3, sync: true)] { try writer.update(row) }
            try writer.delete(Stage.shared(1), departure: .everywhere)
            _ = try writer.deleteRows(inAccessGroups: ["g"])
        }
        #expect(try file.syncTablesInUse().isEmpty)
    }

    @Test("an added row has its name, and waits to be reported", arguments: allTables)
    func added(_ itemClass: ItemClass) throws {
        let database = try DatabaseFile().openInCircle()
        let shared = Stage.shared(1, in: itemClass)
        try database.write { try $0.insert(shared) }
        #expect(try database.item(1) == SyncItemRow(name: Stage.name(1), place: shared.place, known: nil))
        #expect(try database.read { try $0.syncName(of: shared.place) } == Stage.name(1))
        #expect(
            try database.changes == [
                SyncChangeRow(name: Stage.name(1), number: 1, kind: .put, content: Stage.content(1))
            ])
    }

    @Test("an update is reported with its new digest, after everything that was reported before")
    func updated() throws {
        let database = try DatabaseFile().openInCircle()
        var shared = Stage.shared(1)
        try database.write { [shared] in try $0.insert(shared) }
        shared.listing = Stage.listing(1, digest: 50)
        try database.write { [shared] in try $0.update(shared) }
        #expect(
            try database.changes == [
                SyncChangeRow(name: Stage.name(1), number: 2, kind: .put, content: Stage.content(1, digest: 50))
            ])
    }

    @Test("a new primary key is a deletion of the old name and a new name, each with its partner")
    func renamed() throws {
        let database = try DatabaseFile().openInCircle()
        var shared = Stage.shared(1)
        try database.write { [shared] in try $0.insert(shared) }
        shared.listing = Stage.listing(2)
        try database.write { [shared] in try $0.update(shared) }
        #expect(
            try database.changes == [
                SyncChangeRow(name: Stage.name(1), number: 2, kind: .deletedEverywhere, partner: Stage.name(2)),
                SyncChangeRow(
                    name: Stage.name(2), number: 2, kind: .put, partner: Stage.name(1), content: Stage.content(2)),
            ])
        #expect(try database.item(1)?.place == nil)
        #expect(try database.item(2)?.place == shared.place)
    }

    struct End: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: SyncChangeRow.Kind?
        let body: @Sendable (ItemWriter, ItemRow) throws -> Void
    }

    private static let ending = Ending(.keyDeleted, at: 0)

    static let ends = [
        End(testDescription: "deleted, without a row that says so", kind: .deletedEverywhere) {
            try $0.delete($1, departure: .everywhere)
        },
        End(testDescription: "a tombstone", kind: .deletedEverywhere) {
            var tombstone = $1
            tombstone.isTombstone = true
            tombstone.listing = .unlisted(.everywhere)
            try $0.update(tombstone)
        },
        End(testDescription: "without a tombstone", kind: .deletedHere) { try $0.delete($1) },
        End(testDescription: "no longer shared", kind: .deletedHere) {
            var local = $1
            local.listing = .unlisted(.here)
            try $0.update(local)
        },
        End(testDescription: "quarantined", kind: .deletedHere) { try $0.quarantine($1, reason: "", at: 0) },
        End(testDescription: "ended", kind: .deletedHere) { try $0.end($1, as: ending) },
        End(testDescription: "of a removed app", kind: .deletedHere) { writer, _ in
            _ = try writer.deleteRows(inAccessGroups: ["g"])
        },
        End(testDescription: "deleted by another device", kind: nil) { try $0.delete($1, departure: .remote) },
    ]

    @Test("a row that ends leaves name and version, and the change that other devices are to hear of", arguments: ends)
    func ended(_ end: End) throws {
        let file = try DatabaseFile()
        let database = try file.openInCircle()
        let shared = Stage.shared(1, in: .key)
        try database.write { writer in
            try writer.insert(shared)
            try writer.insert(Stage.shared(2, in: .key, group: "h"))
            for number in [1, 2] {
                try writer.setSyncItem(Stage.version(number), named: Stage.name(number))
                try writer.forgetSyncChange(of: Stage.name(number), upTo: 9)
            }
        }
        try database.write { try end.body($0, shared) }
        #expect(try database.item(1) == SyncItemRow(name: Stage.name(1), place: nil, known: Stage.version(1)))
        #expect(try database.item(2)?.place == Stage.shared(2, in: .key).place)
        #expect(try database.change(of: 1)?.kind == end.kind)
        #expect(try database.change(of: 2) == nil)
        // Its number is later than every number that was there.
        if end.kind != nil { #expect(try database.changes.map { $0.number > 2 } == [true]) }
    }

    @Test("the end of a row that was never reported is all that other devices are to hear", arguments: ends)
    func endedBefore(_ end: End) throws {
        let database = try DatabaseFile().openInCircle()
        let shared = Stage.shared(1, in: .key)
        let other = Stage.shared(2, in: .key, group: "h")
        try database.write { writer in for row in [shared, other] { try writer.insert(row) } }
        try database.write { try end.body($0, shared) }
        #expect(try database.item(1) == SyncItemRow(name: Stage.name(1), place: nil, known: nil))
        #expect(try database.read { try $0.syncName(of: shared.place) } == nil)
        #expect(try database.change(of: 1)?.kind == end.kind ?? .put)
        #expect(try database.item(2) == SyncItemRow(name: Stage.name(2), place: other.place, known: nil))
        #expect(try database.change(of: 2)?.kind == .put)
    }

    @Test("a row keeps its name over the changes before and after the first report")
    func reported() throws {
        let database = try DatabaseFile().openInCircle()
        let shared = Stage.shared(1)
        let steps: [@Sendable (ItemWriter) throws -> Void] = [
            { try $0.insert(shared) }, { try $0.update(shared) },
            { try $0.setSyncItem(Stage.version(1), named: Stage.name(1)) },
            { try $0.forgetSyncChange(of: Stage.name(1), upTo: .max) }, { try $0.update(shared) },
            { try $0.setSyncItem(nil, named: Stage.name(1)) },
        ]
        for step in steps {
            try database.write { try step($0) }
            #expect(try database.item(1)?.place == shared.place)
            #expect(try database.read { try $0.syncItems().map(\.place) } == [shared.place])
            #expect(try database.read { try $0.syncName(of: shared.place) } == Stage.name(1))
            #expect(try database.read { try $0.unsharedRows(of: .genericPassword) }.isEmpty)
        }
    }

    @Test("a change that is forgotten without a version leaves the row its name")
    func forgottenChange() throws {
        let shared = Stage.shared(1)
        let ends: [@Sendable (ItemWriter) throws -> Void] = [
            { try $0.forgetSyncChange(of: Stage.name(1), upTo: .max) },
            { try $0.renewCircle(as: token(2, 90), formerly: Stage.device, keepsPending: false) },
        ]
        for end in ends {
            let database = try DatabaseFile().openInCircle()
            try database.write { try $0.insert(shared) }
            try database.write { try end($0) }
            #expect(try database.changes.isEmpty)
            #expect(try database.item(1) == SyncItemRow(name: Stage.name(1), place: shared.place, known: nil))
            #expect(try database.read { try $0.syncName(of: shared.place) } == Stage.name(1))
        }
    }

    @Test("a name that a row had before is not its own", arguments: [true, false])
    func formerName(_ isReported: Bool) throws {
        let database = try DatabaseFile().openInCircle()
        var (former, heir) = (Stage.shared(1), Stage.shared(2))
        try database.write { [former] in try $0.insert(former) }
        former.listing = .unlisted(.here)
        heir.listing = Stage.listing(1)
        try database.write { [former, heir] writer in
            try writer.update(former)
            try writer.insert(heir)
            if isReported {
                try writer.setSyncItem(Stage.version(1), named: Stage.name(1))
                try writer.forgetSyncChange(of: Stage.name(1), upTo: .max)
            }
        }
        #expect(try database.read { try $0.syncName(of: former.place) } == nil)
        #expect(try database.read { try $0.unsharedRows(of: .genericPassword) } == [former.place])
        try database.write { [former] in try $0.delete(former, departure: .everywhere) }
        #expect(try database.item(1)?.place == heir.place)
        #expect(try database.change(of: 1)?.kind == (isReported ? nil : .put))
    }

    @Test("a row of a circle that was left has no name in the next one until it is named")
    func nextCircle() throws {
        let database = try DatabaseFile().openInCircle()
        let shared = Stage.shared(1)
        try database.write { try $0.insert(shared) }
        try database.write { writer in
            try writer.forgetCircle()
            try writer.enterCircle(as: token(2, 90))
        }
        #expect(try database.read { try $0.syncName(of: shared.place) } == nil)
        for number in [1, 2] {
            let listing = RowListing.listed(Stage.content(number), device: token(2, 90))
            try database.write { try $0.list(shared.place, as: listing) }
            #expect(try database.read { try $0.syncName(of: shared.place) } == Stage.name(number))
            #expect(try database.item(number)?.place == shared.place)
        }
    }

    @Test("a row that waits to be reported is found by the version of another device")
    func waitingRemote() throws {
        let database = try DatabaseFile().openInCircle()
        var shared = Stage.shared(1)
        try database.write { [shared] in try $0.insert(shared) }
        shared.listing = .remote(name: Stage.name(1))
        try database.write { [shared] in try $0.update(shared) }
        #expect(try database.item(1)?.place == shared.place)
        try database.write { [shared] in try $0.delete(shared, departure: .remote) }
        #expect(try database.item(1)?.place == nil)
    }

    @Test("a row that another device wrote has its name, and is not reported", arguments: [true, false])
    func remote(_ isNew: Bool) throws {
        let database = try DatabaseFile().openInCircle()
        var shared = row(1, sync: true)
        try database.write { [shared] in if !isNew { try $0.insert(shared) } }
        shared.listing = .remote(name: Stage.name(1))
        try database.write { [shared] in if isNew { try $0.insert(shared) } else { try $0.update(shared) } }
        #expect(try database.item(1)?.place == shared.place)
        #expect(try database.changes.isEmpty)
    }

    @Test("a change that was made after the reported one stays, and a name without row, version and change goes")
    func noted() throws {
        let database = try DatabaseFile().openInCircle()
        try database.write { try $0.insert(Stage.shared(1)) }
        let first = try #require(try database.changes.last)
        try database.write { try $0.update(Stage.shared(1)) }
        try database.write { try $0.forgetSyncChange(of: first.name, upTo: first.number) }
        let second = try #require(try database.changes.last)
        #expect(second.number > first.number)
        try database.write { try $0.delete(Stage.shared(1), departure: .everywhere) }
        let third = try #require(try database.changes.last)
        #expect(try database.item(1) != nil)
        try database.write { try $0.forgetSyncChange(of: third.name, upTo: third.number) }
        #expect(try database.changes.isEmpty)
        #expect(try database.item(1) == nil)
    }

    @Test("a row that was named under the keys of another circle waits for its name")
    func otherCircle() throws {
        let database = try DatabaseFile().openInCircle()
        var shared = Stage.shared(1)
        shared.listing = .listed(Stage.content(1), device: token(2, 90))
        try database.write { [shared] in try $0.insert(shared) }
        #expect(try database.item(1) == nil)
        #expect(
            try database.read { try $0.unnamedRows(of: .genericPassword, after: 0, limit: 9) } == [shared.place])
    }
}
