import Crypto
import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import Testing

/// Tests that released migrations stay as they are, and that the tables have what the rest of the code expects.
@Suite struct MigrationTests {
    /// SHA-256 of the statements of each released format. A line is added with a format, and none is changed.
    private static let released = [
        "37c0baa10cbc73b0d02c073e2ca4f957cdeb492bf99cf8c99a58d50d2cc43242",
        "f267c956ee336b24de720fdcfe3868f612b6a792e29ad1e339188aefccdea280",
        "2a8cfc8821963180b9c84da07bdfd59cd2f4f43eecf45cbc69385df866531fc4",
        "1b4b4c9f9aa7b89ffcf5e4d46398494237e88d797b15ef20c26fd799aacd79d1",
        "0c8a36edc433ae88aa1805f75da2ce7a04db3baf993b39f8bd4ff575e8c32e35",
        "00b13c5e9279927563fb2e5699a90a62d62f7e3539ce801d0d4298d29eab2c7d",
        "df580052d626ee4fb9adf66407e7d11be114fb28430771ca5d899fe1d97403e1",
        "25a6505d2e3de587ebf4ba0be957ac960e2e020b20a9e8be52b1bb54c76cb340",
        "91b9bf52a317adfb4a257e17af0fdfe2a617fbb5aef23a2e18cd7ca6d4788904",
    ]

    @Test("no released migration changes")
    func released() {
        let digests = Migration.all.map { migration in
            SHA256.hash(data: Data(migration.statements.utf8)).map { String(format: "%02x", $0) }.joined()
        }
        #expect(digests == Self.released)
        #expect(Migration.all.map(\.format) == (1...Self.released.count).map { "\($0)" })
    }

    @Test(
        "each attribute with a token has a column in the table of its class and in that of its ended items, and no other"
    )
    func columns() throws {
        let file = try DatabaseFile()
        try file.open().close()
        for schema in ItemSchema.all {
            let table = schema.itemClass.rawValue
            for name in [table, "ended_" + table] {
                let columns = try file.raw {
                    try String.fetchAll($0, sql: "SELECT name FROM pragma_table_info('\(name)')")
                }
                let attributes = columns.filter { $0.hasPrefix("t_") }.map { String($0.dropFirst(2)) }
                #expect(attributes.sorted() == schema.searchable.map(\.rawValue).sorted(), "\(name)")
            }
        }
    }
}
