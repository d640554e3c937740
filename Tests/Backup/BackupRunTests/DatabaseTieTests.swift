import Foundation
import LatchkeyBackupRun
import LatchkeyBackupTesting
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag
import LatchkeyKeychainMessages
import SecurityTesting
import Testing

@Suite("Databases in a backup")
struct DatabaseTieTests {
    private static let database = [UInt8](100..<116)
    private static let parts: [(name: String, tie: FileTie?)] = [
        ("app/a.db", FileTie(.database, of: database)), ("app/a.db-journal", FileTie(.journal, of: database)),
        ("app/a.db-wal", FileTie(.log, of: database)), ("app/letter", nil),
    ]

    private static func file(_ machine: Machine, _ name: String, in directory: String? = nil) throws -> OpenFile {
        try machine.vault.open((directory ?? machine.home) + "/" + name, forWriting: true)
    }

    private static func machineWithDatabase() throws -> Machine {
        let machine = try Machine()
        for (name, tie) in parts {
            try machine.write(name, Array(name.utf8), .complete)
            try file(machine, name).setTie(tie)
        }
        try machine.setPassword()
        return machine
    }

    @Test("a database, its journal and its log belong together after a restore", arguments: [true, false])
    func ties(isEncrypted: Bool) throws {
        let machine = try Self.machineWithDatabase()
        _ = try machine.backUp(encrypted: isEncrypted)
        let other = try Machine()
        let target = other.path + "/restored"
        let report = try other.restore(try machine.opened(), to: target)
        #expect(report.restored == Self.parts.count && report.kept.isEmpty)
        for (name, tie) in Self.parts {
            #expect(try Self.file(other, name, in: target).tie() == tie, "\(name)")
            #expect(try other.content(name, in: target) == Array(name.utf8), "\(name)")
        }
        // Once more changes nothing.
        #expect(try other.restore(try machine.opened(), to: target).identical == Self.parts.count)
    }

    @Test("the journal and the log of a database that stays are not restored beside it")
    func kept() throws {
        let machine = try Self.machineWithDatabase()
        _ = try machine.backUp(encrypted: true)
        let other = try Machine()
        try other.write("app/a.db", Array("newer".utf8), .complete)
        let report = try other.restore(try machine.opened(), to: other.home, .keep)
        #expect(report.restored == 1 && report.kept.count == 3, "\(report.kept)")
        #expect(try other.content("app/a.db") == Array("newer".utf8))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: other.home + "/app").sorted() == ["a.db", "letter"])
        // With the database they come.
        let again = try other.restore(try machine.opened(), to: other.home, .replace)
        #expect(again.kept.isEmpty && again.replaced == 1 && again.restored == 2)
    }

    @Test("a journal whose database is not in the backup, or is another one, is not restored")
    func alone() throws {
        let machine = try Self.machineWithDatabase()
        try FileManager.default.removeItem(atPath: machine.home + "/app/a.db")
        try Self.file(machine, "app/letter").setTie(FileTie(.database, of: [UInt8](repeating: 1, count: 16)))
        try machine.write("app/letter-wal", [1], .complete)
        try Self.file(machine, "app/letter-wal").setTie(FileTie(.log, of: Self.database))
        _ = try machine.backUp(encrypted: true)
        let other = try Machine()
        let report = try other.restore(try machine.opened(), to: other.home)
        #expect(report.restored == 1 && report.kept.count == 3, "\(report.kept)")
    }

    @Test("a log that was tied before its database was comes without a tie, as its database")
    func untiedDatabase() throws {
        let machine = try Self.machineWithDatabase()
        try Self.file(machine, "app/a.db").setTie(nil)
        _ = try machine.backUp(encrypted: true)
        let other = try Machine()
        let report = try other.restore(try machine.opened(), to: other.home)
        #expect(report.restored == Self.parts.count && report.kept.isEmpty)
        for (name, _) in Self.parts { #expect(try Self.file(other, name).tie() == nil, "\(name)") }
    }
}
