import DataProtection
import Foundation
import GRDBSQLite
import LatchkeyTestSupport
import ProtectedSQLite
import SecurityTesting
import Testing

@Suite("Protected databases in a child of fork") struct ForkTests {
    @Test(
        "a connection of the parent refuses, also within a transaction and with temporary tables, and ends no process")
    func connectionsInOwnProcess() async {
        await #expect(processExitsWith: .success) {
            let (folder, device) = (try DatabaseFolder(), try VirtualDevice())
            for mode in JournalMode.durable {
                let path = folder.file("\(mode).db")
                let connection = try device.run {
                    try Connection(ProtectedDatabase.uri(forPath: path, protection: .complete), mode)
                }
                try connection.makeLetters()
                try connection.addLetters(200)
                try connection.run("PRAGMA temp_store = FILE; PRAGMA cache_size = 2; PRAGMA temp.cache_size = 2")
                try connection.run("CREATE TEMP TABLE other AS SELECT * FROM letter")
                try connection.run("BEGIN")
                try connection.addLetters(200)
                let ending = Forking.child {
                    for statement in [
                        "SELECT count(*) FROM letter WHERE text <> ''", "INSERT INTO letter (text) VALUES ('a')",
                        "SELECT count(*) FROM other WHERE text <> ''", "COMMIT",
                    ] {
                        try Forking.require(connection.code(statement) != SQLITE_OK)
                    }
                    sqlite3_close_v2(connection.database)
                    // The parent has the database, which another process therefore does not get.
                    try device.run {
                        do {
                            _ = try Connection(ProtectedDatabase.uri(forPath: path, protection: .complete))
                            try Forking.require(false)
                        } catch let failure as Connection.Failure {
                            try Forking.require(failure.code & 0xFF == SQLITE_BUSY)
                        }
                    }
                    // Its own it has.
                    let own = try device.run {
                        try Connection(
                            ProtectedDatabase.uri(forPath: folder.file("own.db"), protection: .complete), mode)
                    }
                    try own.makeLetters()
                    try own.addLetters(20)
                    try Forking.require(own.letterCount == 20)
                    try own.run("DROP TABLE letter")
                }
                guard ending == .success else { exit(1) }
                try connection.run("COMMIT")
                guard try connection.letterCount == 400, try connection.isIntact else { exit(2) }
            }
            exit(0)
        }
    }
}
