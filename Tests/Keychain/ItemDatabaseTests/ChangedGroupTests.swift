import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// The access groups that a commit reports.
@Suite struct ChangedGroupTests {
    private let file: DatabaseFile
    private let database: ItemDatabase
    private let reported = Collected<ChangedGroups>()

    init() throws {
        file = try DatabaseFile()
        database = try file.open()
        database.whenItemsChange { [reported] in reported.append($0) }
    }

    /// The groups that `body` changes, commit by commit.
    private func changes(_ body: @escaping (ItemWriter) throws -> Void) throws -> [Set<String>] {
        let before = reported.all.count
        try database.write(body)
        return reported.all[before...].map { Set($0.groups.map { String(decoding: $0, as: UTF8.self) }) }
    }

    @Test("added, changed and deleted rows are reported with their groups, once for a commit")
    func rows() throws {
        #expect(
            try changes {
                try $0.insert(row(1))
                try $0.insert(row(2, group: "h"))
                try $0.insert(row(3))
            } == [["g", "h"]])
        #expect(try changes { try $0.update(row(1, secretByteCount: 48)) } == [["g"]])
        #expect(try changes { try $0.delete(row(2, group: "h")) } == [["h"]])
    }

    @Test("a commit is reported as directly as the first one, however many there were before")
    func depth() throws {
        let addresses = Collected<Int>()
        database.whenItemsChange { _ in
            var local = 0
            withUnsafePointer(to: &local) { addresses.append(Int(bitPattern: $0)) }
        }
        for number in 1...300 { try database.write { try $0.insert(row(number)) } }
        let all = addresses.all
        #expect(all.count == 300)
        let (lowest, highest) = (try #require(all.min()), try #require(all.max()))
        // A frame more for each commit would be 10 KiB.
        #expect(highest - lowest < 4_096)
    }

    @Test("a row that moves to another group is reported for both")
    func move() throws {
        try database.write { try $0.insert(row(1)) }
        #expect(try changes { try $0.update(row(1, group: "h")) } == [["g", "h"]])
    }

    @Test("a row that becomes a tombstone is reported, and a tombstone that comes or goes is not")
    func tombstones() throws {
        try database.write { try $0.insert(row(1, sync: true)) }
        #expect(try changes { try $0.update(row(1, sync: true, tombstone: true)) } == [["g"]])
        #expect(try changes { try $0.delete(row(1, sync: true, tombstone: true)) } == [])
        #expect(try changes { try $0.insert(row(2, sync: true, tombstone: true)) } == [])
    }

    @Test("what changes no item is not reported: a row that is bound, a key, a refused insert, a failed transaction")
    func nothing() throws {
        try database.write { try $0.insert(row(1)) }
        #expect(try changes { try $0.bind(row(1)) } == [])
        #expect(try changes { try $0.setMetadataKey([1], ofClass: 6) } == [])
        #expect(try changes { _ = try $0.insertIfFree(row(1)) } == [])
        #expect(throws: Refused.self) {
            try changes {
                try $0.insert(row(2))
                throw Refused()
            }
        }
        #expect(reported.all.count == 1)
    }

    @Test("rows that go together are reported: those of an app, of a destroyed class, and all")
    func together() throws {
        try database.write { writer in
            try writer.insert(row(1))
            try writer.insert(row(2, group: "h", keyClass: 11))
            try writer.insert(row(3, in: .key, group: "i"))
        }
        #expect(try changes { _ = try $0.deleteRows(inAccessGroups: ["g", "nothing here"]) } == [["g"]])
        #expect(
            try changes { try $0.endRows(ofClass: 11, as: Ending(.passcodeRemoved, at: .init(secondsSince2001: 1))) }
                == [["h"]])
        try database.write { try $0.deleteEverything() }
        #expect(reported.all.last?.isEverything == true)
    }
}
