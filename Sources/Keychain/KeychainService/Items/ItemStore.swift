import Foundation
import LatchkeyEnclaveCore
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// Why the keychain of a device cannot be opened, for people.
package struct KeychainOpenFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The database file of a device, and what becomes of a damaged one: it is set aside and reported, never emptied.
final class ItemStore: Sendable {
    let database: ItemDatabase
    let clock: any DeviceClock
    /// What happened to a damaged file, nil normally. Stays until its owner deletes the report file.
    let damageReport: String?
    private let markPath: String

    init(directory: String, clock: any DeviceClock) throws(KeychainOpenFailure) {
        self.clock = clock
        let path = directory + "/keychain.db"
        markPath = directory + "/damaged"
        let reportPath = directory + "/damage-report"
        if FileManager.default.fileExists(atPath: markPath) {
            try Self.setAsideIfDamaged(path, markPath, reportPath, clock)
        }
        do throws(ItemDatabaseFailure) {
            database = try ItemDatabase(path: path)
        } catch {
            guard case .damaged = error else { throw Self.failure(error, path) }
            try Self.setAside(path, reportPath, clock)
            do throws(ItemDatabaseFailure) {
                database = try ItemDatabase(path: path)
            } catch {
                throw Self.failure(error, path)
            }
        }
        damageReport = try? String(contentsOfFile: reportPath, encoding: .utf8)
    }

    /// A call met damage: marks the file, so that the next start checks it as a whole.
    func noticeDamage(_ setback: Setback) {
        guard case .database(.damaged) = setback else { return }
        _ = FileManager.default.createFile(atPath: markPath, contents: nil)
    }

    /// Reads outside of any transaction: each statement sees a state of its own.
    func read<Value>(_ body: (ItemReader) throws -> Value) throws(Setback) -> Value {
        do {
            return try database.read(body)
        } catch {
            throw Setback(error)
        }
    }

    /// Runs `body` in a transaction and returns once its changes are on disk. If it throws, none of them stays. It may
    /// run twice.
    @discardableResult
    func write<Value>(_ body: @escaping (ItemWriter) throws -> Value) throws(Setback) -> Value {
        do {
            return try database.write(body)
        } catch {
            throw Setback(error)
        }
    }

    /// Rows that fit, in row order, from after `rowID`; at most `limit`. They are of one state of the database.
    /// - Parameter transaction: the reader of the transaction that is under way, if one is; otherwise the rows come as they
    ///   were committed.
    func rows(
        matching filter: RowFilter, after rowID: Int64 = 0, limit: Int, withSecret: Bool,
        in transaction: ItemReader? = nil
    ) throws(Setback) -> [ItemRow] {
        if let transaction {
            return try onDisk(transaction.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret))
        }
        return try onDisk(database.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret))
    }

    /// The number of a new row.
    /// - Parameter microseconds: the time, since 2001-01-01 00:00:00 UTC.
    func newRowNumber(at microseconds: Int64) -> Int64 { database.newRowNumber(at: microseconds) }

    /// The time in the unit of the tables.
    func nowMicroseconds() -> Int64 { AttributeKind.microseconds(clock.wallTime().seconds) }

    /// After ``ItemDatabaseFailure/numberTaken``: looks which numbers other processes have given.
    func catchUpWithNumbers() throws(Setback) {
        try onDisk(database.catchUpWithNumbers())
    }

    private static func setAsideIfDamaged(
        _ path: String, _ markPath: String, _ reportPath: String, _ clock: any DeviceClock
    ) throws(KeychainOpenFailure) {
        // Opened for the check alone: a sound file keeps its place.
        let isSound = (try? ItemDatabase(path: path).integrityFindings().isEmpty) ?? false
        if !isSound { try setAside(path, reportPath, clock) }
        try? FileManager.default.removeItem(atPath: markPath)
    }

    private static func setAside(
        _ path: String, _ reportPath: String, _ clock: any DeviceClock
    ) throws(KeychainOpenFailure) {
        let aside = path + ".damaged-\(Int64(clock.wallTime().seconds))"
        do {
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
            }
            let report = """
                The database was damaged and set aside as \(aside). The keychain started empty. \
                Recover it with the sqlite3 tool (Docs/Manual/Damage.md says how), or restore a backup; then delete \(reportPath).
                """
            try report.write(toFile: reportPath, atomically: true, encoding: .utf8)
        } catch {
            throw KeychainOpenFailure(
                "The database \(path) is damaged and cannot be set aside: \(error.localizedDescription.withoutFullStop). "
                    + "Move it away by hand; nothing was deleted.")
        }
    }

    private static func failure(_ failure: ItemDatabaseFailure, _ path: String) -> KeychainOpenFailure {
        let call = CallFailure(failure)
        return KeychainOpenFailure(
            "The database \(path) cannot be opened. \(call.refusal?.reason ?? "") \(call.refusal?.advice ?? "")")
    }
}
