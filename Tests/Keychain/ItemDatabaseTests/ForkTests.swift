import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

/// The database in a child of `fork`, whose parent has it open.
@Suite("The items' database after a fork") struct ForkTests {
    private static func add(_ numbers: Range<Int>, to database: ItemDatabase) throws {
        for number in numbers { try database.write { try $0.insert(row(number)) } }
    }

    private static func count(in database: ItemDatabase) throws -> Int {
        try database.rows(matching: RowFilter(itemClass: .genericPassword), limit: 1000, withSecret: false).count
    }

    @Test("a child opens it by a database of its own, and both write") func bothInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let file = try DatabaseFile()
            let database = try file.open()
            try Self.add(0..<10, to: database)
            let child = Forking.start {
                let own = try file.open()
                try Forking.require(Self.count(in: own) >= 10)
                try Self.add(100..<110, to: own)
                own.close()
            }
            try Self.add(10..<20, to: database)
            guard Forking.ending(of: child) == .success else { exit(1) }
            exit(try Self.count(in: database) == 30 && database.integrityFindings() == [] ? 0 : 2)
        }
    }

    /// SQLite's own list has the parent's locks in the child: without one of its own the child would not be in the way when the
    /// last other process closes the file and removes the log.
    @Test("a child has locks of its own: the log stays when the parent closes the file") func locksInOwnProcess() async
    {
        await #expect(processExitsWith: .success) {
            let file = try DatabaseFile()
            let database = try file.open()
            try Self.add(0..<3, to: database)
            let (isOpen, isClosed) = (ForkSignal(), ForkSignal())
            let child = Forking.start {
                let own = try file.open()
                try Forking.require(Self.count(in: own) == 3)
                isOpen.give()
                isClosed.wait()
                try Self.add(3..<6, to: own)
                try Forking.require(Self.count(in: own) == 6)
                // As by a kill: nothing is closed.
                _exit(0)
            }
            isOpen.wait()
            database.close()
            let hasLog = FileManager.default.fileExists(atPath: file.path + "-wal")
            isClosed.give()
            guard Forking.ending(of: child) == .success, hasLog else { exit(1) }
            exit(try Self.count(in: file.open()) == 6 ? 0 : 2)
        }
    }

    @Test("a child of a child has its own again, and another connection of the process keeps to the usual locks")
    func grandchildInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let (file, other) = (try DatabaseFile(), try DatabaseFile())
            let database = try file.open()
            try Self.add(0..<3, to: database)
            let ending = Forking.child {
                let (own, beside) = (try file.open(), try other.open())
                try Self.add(3..<6, to: own)
                let grandchild = Forking.child {
                    let third = try file.open()
                    try Self.add(6..<9, to: third)
                    try Forking.require(Self.count(in: third) == 9)
                    third.close()
                }
                try Forking.require(grandchild == .success)
                try Forking.require(Self.count(in: own) == 9)
                // Two connections of one process on one file share their locks.
                try Self.add(0..<2, to: beside)
                try other.raw { try $0.execute(sql: "SELECT count(*) FROM genp") }
                try Self.add(2..<4, to: beside)
                try Forking.require(Self.count(in: beside) == 4)
            }
            let count = try Self.count(in: database)
            exit(ending == .success && count == 9 ? 0 : 1)
        }
    }
}
