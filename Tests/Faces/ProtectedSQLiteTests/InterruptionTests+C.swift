import Foundation
import GRDBSQLite
import ProtectedSQLite
import SecurityTesting
import Testing

/// Copies of the files at many moments of a transaction: what the end of the process would leave.
private final class Moments {
    let folder: DatabaseFolder
    var copies: [DatabaseFolder] = []
    var failure: (any Error)?
    private let limit = 40

    init(_ folder: DatabaseFolder) {
        self.folder = folder
    }

    func take() {
        guard copies.count < limit, failure == nil else { return }
        do {
            let copy = try DatabaseFolder()
            for name in try folder.names {
                try FileManager.default.copyItem(atPath: folder.file(name), toPath: copy.file(name))
            }
            copies.append(copy)
        } catch {
            failure = error
        }
    }
}

@Suite("Databases after the end of the process, and damaged ones")
struct InterruptionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let mode: JournalMode
        let synchronous: String

        var testDescription: String { "\(mode), synchronous \(synchronous)" }
    }

    static let rows = JournalMode.durable.flatMap { mode in
        ["OFF", "NORMAL", "FULL"].map { Row(mode: mode, synchronous: $0) }
    }

    @Test("at every moment the files hold the state before a transaction or after it", arguments: rows)
    func moments(_ row: Row) throws {
        let folder = try DatabaseFolder()
        let moments = Moments(folder)
        try VirtualDevice().run {
            let connection = try Connection(folder.file("a.db"), row.mode)
            try connection.run("PRAGMA synchronous = \(row.synchronous); PRAGMA cache_size = 5")
            try connection.makeLetters()
            try connection.addLetters(500)
            sqlite3_progress_handler(
                connection.database, 2500,
                {
                    $0.map { Unmanaged<Moments>.fromOpaque($0).takeUnretainedValue().take() }
                    return 0
                }, Unmanaged.passUnretained(moments).toOpaque())
            try connection.run("BEGIN")
            try connection.addLetters(1000)
            try connection.run("UPDATE letter SET text = 'changed ' || number; DELETE FROM letter WHERE number > 1200")
            moments.take()
            try connection.run("COMMIT")
            moments.take()
            sqlite3_progress_handler(connection.database, 0, nil, nil)
            #expect(try connection.letterCount == 1200)
            #expect(moments.failure == nil)
            #expect(moments.copies.count > 10)
            for (index, copy) in moments.copies.enumerated() {
                let found = try Connection(copy.file("a.db"))
                let (count, isIntact) = (try found.letterCount, try found.isIntact)
                #expect(count == (index == moments.copies.count - 1 ? 1200 : 500), "moment \(index)")
                #expect(isIntact, "moment \(index)")
            }
        }
    }

    @Test("a database that was altered anywhere is an error or intact, never other rows")
    func altered() throws {
        let folder = try DatabaseFolder()
        let path = folder.file("a.db")
        try VirtualDevice().run {
            do {
                let connection = try Connection(path)
                try connection.makeLetters()
                try connection.addLetters(300)
            }
            let whole = try Data(contentsOf: URL(fileURLWithPath: path))
            var refusals = 0
            for offset in stride(from: 0, to: whole.count, by: 997) {
                var damaged = whole
                damaged[offset] ^= 0x10
                try damaged.write(to: URL(fileURLWithPath: path))
                do {
                    let connection = try Connection(path)
                    let rows = try connection.run("SELECT text FROM letter ORDER BY number")
                    // Without the later of its headers a file has the state before: the format's known limit.
                    let isWhole = rows.count == 300 && rows.last?.hasSuffix("locked 300") ?? false
                    #expect(isWhole || offset < 8192 && rows.isEmpty, "at \(offset)")
                } catch let failure as Connection.Failure {
                    refusals += 1
                    let codes = [SQLITE_CORRUPT, SQLITE_NOTADB, SQLITE_CANTOPEN, SQLITE_AUTH, ExtendedCode.data]
                    #expect(codes.contains(failure.code), "\(failure) at \(offset)")
                }
            }
            #expect(refusals > 3)
            for length in [1, 4095, 8192, whole.count / 2] {
                try whole.prefix(length).write(to: URL(fileURLWithPath: path))
                #expect(throws: Connection.Failure.self, "cut at \(length)") {
                    try Connection(path).letterCount
                }
            }
        }
    }

    @Test("a journal in clear beside a database is not played back", arguments: ["-journal", "-wal"])
    func plantedJournal(_ suffix: String) throws {
        let folder = try DatabaseFolder()
        try VirtualDevice().run {
            do {
                let connection = try Connection(folder.file("a.db"), suffix == "-wal" ? .wal : .delete)
                try connection.makeLetters()
                try connection.addLetters(5)
            }
            let planted = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]) + Data(repeating: 1, count: 8000)
            try planted.write(to: URL(fileURLWithPath: folder.file("a.db" + suffix)))
            #expect(throws: Connection.Failure(code: SQLITE_CANTOPEN, description: "")) {
                try Connection(folder.file("a.db")).letterCount
            }
            try FileManager.default.removeItem(atPath: folder.file("a.db" + suffix))
            #expect(try Connection(folder.file("a.db")).letterCount == 5)
        }
    }
}
