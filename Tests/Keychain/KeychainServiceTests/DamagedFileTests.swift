import Foundation
import GRDB
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyKeychainService
import LatchkeyPropertyListDER
import LatchkeyTestSupport
import Testing

/// Database files that are damaged, missing or in the way.
@Suite struct DamagedFileTests {
    private struct Damage: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let change: @Sendable (inout Data) -> Void
    }

    private static let damages = [
        Damage(testDescription: "a file of noise") { $0 = Data(repeating: 0xA5, count: $0.count) },
        Damage(testDescription: "a header of noise") {
            $0.replaceSubrange(0..<100, with: Data(repeating: 0xA5, count: 100))
        },
        Damage(testDescription: "a file cut to one page and a bit") { $0 = $0.prefix(5000) },
        Damage(testDescription: "a schema of noise") {
            $0.replaceSubrange(100..<4096, with: Data(repeating: 0xA5, count: 3996))
        },
    ]

    @Test("a damaged file is set aside whole, reported, and the keychain starts empty", arguments: damages)
    private func setAside(_ damage: Damage) throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            keychain.add("a", "1")
            // Else the log holds every page and repairs the file.
            try keychain.raw { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        }
        let path = directory.path + "/keychain/keychain.db"
        var content = try Data(contentsOf: URL(fileURLWithPath: path))
        damage.change(&content)
        try content.write(to: URL(fileURLWithPath: path))

        let keychain = try TestKeychain(directory.path)
        #expect(keychain.secret(of: "a") == .failure(.itemNotFound))
        #expect(keychain.add("b", "2") == .success)
        #expect(keychain.secret(of: "b") == .success("2"))
        let report = try #require(keychain.status?.damageReport)
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/keychain")
        let aside = try #require(
            names.first { $0.hasPrefix("keychain.db.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") })
        #expect(report.contains(aside))
        #expect(FileManager.default.contents(atPath: directory.path + "/keychain/" + aside) == content)
    }

    @Test("the report stays until its file is deleted, and further starts set nothing aside")
    func reportStays() throws {
        let directory = try SharedDirectory()
        do { try TestKeychain(directory.path).raw { _ = try Row.fetchAll($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") } }
        try Data(repeating: 1, count: 4096).write(to: URL(fileURLWithPath: directory.path + "/keychain/keychain.db"))
        for _ in 0..<2 {
            let keychain = try TestKeychain(directory.path)
            #expect(keychain.status?.damageReport != nil)
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/keychain")
        #expect(
            names.filter { $0.hasPrefix("keychain.db.damaged-") && !$0.hasSuffix("-wal") && !$0.hasSuffix("-shm") }
                .count == 1)
        try FileManager.default.removeItem(atPath: directory.path + "/keychain/damage-report")
        #expect(try TestKeychain(directory.path).status?.damageReport == nil)
    }

    @Test("damage that a call meets is named, and the file is set aside at the next start")
    func damageMetByCall() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            for number in 0..<50 { keychain.add("account \(number)", String(repeating: "x", count: 500)) }
        }
        let path = directory.path + "/keychain/keychain.db"
        let page = try #require(
            try DatabaseQueue(path: path).read {
                try Int.fetchOne($0, sql: "SELECT rootpage FROM sqlite_master WHERE name = 'genp'")
            })
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.seek(toOffset: UInt64((page - 1) * 4096))
        try file.write(contentsOf: Data(repeating: 0xEE, count: 4096))
        try file.close()
        do {
            let keychain = try TestKeychain(directory.path)
            let reply = keychain.perform(
                .find, ["svce": .string("s"), "r_Attributes": .boolean(true), "m_Limit": .string("m_LimitAll")])
            #expect(reply.code == .notAvailable)
            #expect(reply.refusal?.rule == .databaseDamaged)
        }
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.status?.damageReport != nil)
        #expect(keychain.add("new", "1") == .success)
    }

    @Test("a mark of damage on a sound file loses nothing")
    func falseAlarm() throws {
        let directory = try SharedDirectory()
        do { try TestKeychain(directory.path).add("a", "1") }
        _ = FileManager.default.createFile(atPath: directory.path + "/keychain/damaged", contents: nil)
        let keychain = try TestKeychain(directory.path)
        #expect(keychain.secret(of: "a") == .success("1"))
        #expect(keychain.status?.damageReport == nil)
        #expect(!FileManager.default.fileExists(atPath: directory.path + "/keychain/damaged"))
    }

    @Test("a database of a newer version is refused in words and left alone")
    func tooNew() throws {
        let directory = try SharedDirectory()
        do {
            let keychain = try TestKeychain(directory.path)
            keychain.add("a", "1")
            try keychain.raw { try $0.execute(sql: "INSERT INTO grdb_migrations (identifier) VALUES ('99')") }
        }
        do {
            _ = try TestKeychain(directory.path)
            Issue.record("a newer database was opened")
        } catch let failure as KeychainOpenFailure {
            #expect(failure.description.contains("newer version"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/keychain")
        #expect(!names.contains { $0.hasPrefix("keychain.db.damaged") })
    }

    @Test("a clock that moves back disturbs nothing")
    func clockMovedBack() throws {
        let keychain = try TestKeychain()
        #expect(keychain.add("a", "1") == .success)
        let before = keychain.perform(.find, ["acct": .string("a"), "r_Attributes": .boolean(true)])
        keychain.clock.setWallTime(-5_000_000_000)
        #expect(keychain.secret(of: "a") == .success("1"))
        #expect(keychain.perform(.update, ["acct": .string("a")], secret: "2").code == .success)
        #expect(keychain.secret(of: "a") == .success("2"))
        #expect(keychain.add("b", "3") == .success)
        let after = keychain.perform(.find, ["acct": .string("a"), "r_Attributes": .boolean(true)])
        guard case .dictionary(let old)? = before.result, case .dictionary(let new)? = after.result,
            case .date(let oldDate)? = old["mdat"], case .date(let newDate)? = new["mdat"]
        else {
            Issue.record("no attributes")
            return
        }
        #expect(newDate > oldDate)
        #expect(keychain.perform(.delete, ["svce": .string("s")]).code == .success)
    }
}
