import Foundation
import GRDB
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyTestSupport
import Testing

@testable import LatchkeyKeychainService

/// A keychain that was marked as damaged and is sound: whatever keeps it from being opened leaves it where it is.
@Suite struct SoundKeychainTests {
    /// A directory with a sound database, marked as damaged.
    private final class Stage: Sendable {
        let directory: String
        private let disk: SmallDisk?

        init(disk: SmallDisk? = nil) throws {
            self.disk = disk
            directory = try disk?.path ?? temporaryDirectory()
            let database = try ItemDatabase(path: directory + "/keychain.db") { 0 }
            try database.write { try $0.set([1, 2, 3], named: "sound") }
            database.close()
            // An opening makes the log and its index anew, which takes room.
            try SoundKeychainTests.change(path, "PRAGMA wal_checkpoint(TRUNCATE)")
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            _ = FileManager.default.createFile(atPath: directory + "/damaged", contents: nil)
        }

        var path: String { directory + "/keychain.db" }

        func open() throws -> ItemDatabase {
            try KeychainFile(directory: directory, clock: HandClock(), lockWait: 0).open()
        }

        /// The text of the failure to open.
        func refusal() throws -> String {
            do {
                _ = try open()
            } catch let failure as KeychainOpenFailure {
                return failure.description
            }
            Issue.record("the database was opened")
            return ""
        }

        /// Nothing was set aside or reported, the mark is there, and once the cause is gone everything is.
        func expectUntouched() throws {
            let names = try FileManager.default.contentsOfDirectory(atPath: directory)
            #expect(!names.contains { $0.hasPrefix("keychain.db.damaged") || $0 == "damage-report" }, "\(names)")
            #expect(names.contains("keychain.db") && names.contains("damaged"), "\(names)")
        }

        func expectWhole() throws {
            let database = try open()
            #expect(try database.read { try $0.setting(named: "sound") } == [1, 2, 3])
            database.close()
            #expect(!FileManager.default.fileExists(atPath: directory + "/damaged"))
            #expect(!FileManager.default.fileExists(atPath: directory + "/damage-report"))
        }

        deinit { if disk == nil { try? FileManager.default.removeItem(atPath: directory) } }
    }

    fileprivate static func change(_ path: String, _ sql: String) throws {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { try $0.execute(sql: sql) }
    }

    @Test("a database of a newer version stays, and opens again where its version is known")
    func newerVersion() throws {
        let stage = try Stage()
        try Self.change(stage.path, "INSERT INTO grdb_migrations (identifier) VALUES ('99')")
        let refusal = try stage.refusal()
        #expect(refusal.contains("newer version") && refusal.contains("Install"), "\(refusal)")
        try stage.expectUntouched()
        try Self.change(stage.path, "DELETE FROM grdb_migrations WHERE identifier = '99'")
        try stage.expectWhole()
    }

    @Test("a database that another process has locked stays")
    func locked() throws {
        let stage = try Stage()
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA locking_mode = EXCLUSIVE") }
            let other = try DatabaseQueue(path: stage.path, configuration: configuration)
            defer { try? other.close() }
            try other.writeWithoutTransaction { holder in
                try holder.execute(sql: "BEGIN EXCLUSIVE; UPDATE rownumbers SET last = last")
                let refusal = try stage.refusal()
                #expect(refusal.contains("another process holds it locked") && refusal.contains("Wait"), "\(refusal)")
                try stage.expectUntouched()
                try holder.execute(sql: "ROLLBACK")
            }
        }
        try stage.expectWhole()
    }

    @Test(
        "a full disk leaves the database, also one that is damaged", .needsMounts)
    func fullDisk() throws {
        let disk = try SmallDisk(megabytes: 4)
        let stage = try Stage(disk: disk)
        try disk.fill()
        let refusal = try stage.refusal()
        #expect(refusal.contains("No space left") && refusal.contains("Free space"), "\(refusal)")
        try stage.expectUntouched()
        disk.empty()
        try stage.expectWhole()
        // A damaged file is not moved away without a word about it.
        try Data(repeating: 7, count: 8192).write(to: URL(fileURLWithPath: stage.path))
        try disk.fill()
        let other = try stage.refusal()
        #expect(other.contains("cannot be set aside"), "\(other)")
        #expect(FileManager.default.contents(atPath: stage.path) == Data(repeating: 7, count: 8192))
        disk.empty()
        let database = try stage.open()
        #expect(try database.read { try $0.setting(named: "sound") } == nil)
        database.close()
        #expect(FileManager.default.fileExists(atPath: disk.path + "/damage-report"))
    }

    /// The limit belongs to the process, so it is changed in one of its own.
    @Test("a process without free descriptors leaves the database")
    func descriptorsInOwnProcess() async throws {
        await #expect(processExitsWith: .success) {
            let stage = try Stage()
            var former = rlimit()
            precondition(getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former) == 0)
            let free = open("/dev/null", O_RDONLY)
            close(free)
            var refusals = 0
            for count in 0...12 {
                var limit = former
                limit.rlim_cur = rlim_t(Int(free) + count)
                precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
                let outcome = Result { try stage.open() }
                precondition(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &former) == 0)
                switch outcome {
                case .success(let database):
                    database.close()
                    _ = FileManager.default.createFile(atPath: stage.directory + "/damaged", contents: nil)
                case .failure(let failure as KeychainOpenFailure):
                    refusals += 1
                    let text = failure.description
                    precondition(text.contains("Too many open files") && text.contains("ulimit -n"), text)
                case .failure(let error): preconditionFailure("\(error)")
                }
                let names = try FileManager.default.contentsOfDirectory(atPath: stage.directory)
                precondition(!names.contains { $0.hasPrefix("keychain.db.damaged") }, "\(count): \(names)")
            }
            precondition(refusals >= 2, "\(refusals)")
            let database = try stage.open()
            let value = try database.read { try $0.setting(named: "sound") }
            precondition(value == [1, 2, 3])
        }
    }

    @Test(
        "a database without permission for this user stays", .needsRoot(to: "change to another user")
    )
    func permissionsInOwnProcess() async throws {
        await #expect(processExitsWith: .success) {
            let stage = try Stage()
            precondition(chmod(stage.directory, 0o755) == 0 && chmod(stage.path, 0o600) == 0)
            precondition(seteuid(65534) == 0)
            do {
                _ = try stage.open()
                preconditionFailure("opened")
            } catch let failure as KeychainOpenFailure {
                let text = failure.description
                precondition(text.contains("Permission denied") && text.contains("permission to"), text)
            }
            precondition(seteuid(0) == 0)
            let names = try FileManager.default.contentsOfDirectory(atPath: stage.directory)
            precondition(names.contains("keychain.db") && names.contains("damaged"), "\(names)")
            precondition(!names.contains { $0.hasPrefix("keychain.db.damaged") }, "\(names)")
        }
    }

    @Test("findings of the check set a marked file aside")
    func findings() throws {
        let stage = try Stage()
        // An index that does not have a row of its table opens, and only the check of the whole file sees it.
        try Self.change(
            stage.path,
            """
            CREATE TABLE extra (n INTEGER); INSERT INTO extra VALUES (1), (2); CREATE INDEX extraIndex ON extra (n);
            PRAGMA writable_schema = 1;
            UPDATE sqlite_master SET sql = 'CREATE INDEX extraIndex ON extra (n) WHERE n > 1' WHERE name = 'extraIndex';
            """)
        let database = try stage.open()
        #expect(try database.read { try $0.setting(named: "sound") } == nil)
        database.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: stage.directory)
        #expect(names.contains { $0.hasPrefix("keychain.db.damaged-") } && names.contains("damage-report"), "\(names)")
        #expect(!names.contains("damaged"))
    }
}
