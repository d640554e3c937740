import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyTestSupport
import Testing

/// The making of the file of a new format for `Fixtures/Formats`, from that of the format before. It is kept where the
/// environment names the new directory:
///
///     LATCHKEY_NEW_FIXTURE=Fixtures/Formats/9 Scripts/test --filter NewFixtureTests
@Suite struct NewFixtureTests {
    private static let target = ProcessInfo.processInfo.environment["LATCHKEY_NEW_FIXTURE"]

    @Test("the file of the last format is made from the one before")
    func make() throws {
        let last = try #require(Migration.all.last.flatMap { Int($0.format) })
        let file = try DatabaseFile()
        try FileManager.default.copyItem(
            at: PackageFolder.file("Fixtures/Formats/\(last - 1)/keychain.db"), to: URL(fileURLWithPath: file.path))
        try file.open().close()
        try file.raw { db in
            _ = try db.checkpoint(.truncate)
            #expect(try Int.fetchOne(db, sql: "SELECT max(CAST(identifier AS INTEGER)) FROM grdb_migrations") == last)
        }
        guard let target = Self.target else { return }
        try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
        try? FileManager.default.removeItem(atPath: target + "/keychain.db")
        try FileManager.default.copyItem(atPath: file.path, toPath: target + "/keychain.db")
    }
}
