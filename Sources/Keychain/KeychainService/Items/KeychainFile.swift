import Foundation
import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyKeychainMessages

/// The database file of a device's keychain, before it is open: the judgement whether it is damaged, and what follows.
///
/// It is set aside only if SQLite itself finds it corrupt or not a database, or its check of the whole file has findings.
/// Any other obstacle leaves it where it is: it may be the sound keychain.
struct KeychainFile {
    /// The database file.
    let path: String
    /// Present after a call met damage; the next start checks the whole file.
    private let markPath: String
    /// The report on a file that was set aside; the owner deletes it.
    private let reportPath: String
    private let clock: any DeviceClock
    /// The seconds to wait for a lock that another process holds.
    private let lockWait: Double

    init(directory: String, clock: any DeviceClock, lockWait: Double = 10) {
        path = directory + "/keychain.db"
        markPath = directory + "/damaged"
        reportPath = directory + "/damage-report"
        self.clock = clock
        self.lockWait = lockWait
    }

    /// The report about a damaged file, normally nil.
    var damageReport: String? { try? String(contentsOfFile: reportPath, encoding: .utf8) }

    /// Has the next start check the whole file.
    func markDamage() {
        _ = FileManager.default.createFile(atPath: markPath, contents: nil)
    }

    /// Opens the database. A damaged one is set aside, and a new one made.
    func open() throws(KeychainOpenFailure) -> ItemDatabase {
        let isMarked = FileManager.default.fileExists(atPath: markPath)
        let outcome = Result { () throws(ItemDatabaseFailure) in try opened(checked: isMarked) }
        let database: ItemDatabase
        switch outcome {
        case .success(let found?): database = found
        case .success(nil), .failure(.damaged):
            try setAside()
            do throws(ItemDatabaseFailure) {
                database = try openedUnchecked()
            } catch {
                throw notOpened(error)
            }
        // The mark stays: the file has not been checked.
        case .failure(let failure): throw notOpened(failure)
        }
        if isMarked { try? FileManager.default.removeItem(atPath: markPath) }
        return database
    }

    private func openedUnchecked() throws(ItemDatabaseFailure) -> ItemDatabase {
        try ItemDatabase(path: path, lockWait: lockWait) { [clock] in clock.wallTime().microsecondsSince2001 }
    }

    /// Returns nil if the check of the whole file has findings.
    private func opened(checked: Bool) throws(ItemDatabaseFailure) -> ItemDatabase? {
        let database = try openedUnchecked()
        guard checked else { return database }
        do throws(ItemDatabaseFailure) {
            if try database.integrityFindings().isEmpty { return database }
        } catch {
            database.close()
            throw error
        }
        database.close()
        return nil
    }

    private func setAside() throws(KeychainOpenFailure) {
        let aside = path + ".damaged-\(Int64(clock.wallTime().seconds))"
        let report = """
            The database was damaged and set aside as \(aside). The keychain started empty. \
            Recover it with the sqlite3 tool (Docs/Manual/Damage.md says how), or restore a backup; then delete \(reportPath).
            """
        let former = damageReport
        var moved: [String] = []
        do {
            // First: a keychain must not start empty without a word.
            try report.write(toFile: reportPath, atomically: true, encoding: .utf8)
            for suffix in ["", "-wal", "-shm"] where FileManager.default.fileExists(atPath: path + suffix) {
                try FileManager.default.moveItem(atPath: path + suffix, toPath: aside + suffix)
                moved.append(suffix)
            }
        } catch {
            for suffix in moved { try? FileManager.default.moveItem(atPath: aside + suffix, toPath: path + suffix) }
            if let former {
                try? former.write(toFile: reportPath, atomically: true, encoding: .utf8)
            } else {
                try? FileManager.default.removeItem(atPath: reportPath)
            }
            throw KeychainOpenFailure(
                "The database \(path) is damaged and cannot be set aside: \(error.localizedDescription.withoutFullStop). "
                    + "Make its directory writable and free space there, or move the file away by hand; nothing was deleted."
            )
        }
    }

    private func notOpened(_ failure: ItemDatabaseFailure) -> KeychainOpenFailure {
        guard let obstacle = failure.obstacle else {
            let refusal = CallFailure(failure).refusal
            return KeychainOpenFailure(
                "The database \(path) cannot be opened. \(refusal?.reason ?? "") \(refusal?.advice ?? "") "
                    + Self.nothingChanged)
        }
        let detail =
            if case .other(_, let message) = failure { "\(obstacle.reason), \(message)" } else { obstacle.reason }
        return KeychainOpenFailure(
            "The database \(path) cannot be opened: \(detail.withoutFullStop). \(obstacle.advice) "
                + Self.nothingChanged)
    }

    private static let nothingChanged = "It was left as it is."
}
