import LatchkeyEncoding
import LatchkeyItemDatabase
import LatchkeyItemModel
import LatchkeyKeychainMessages

/// The reason why the keychain of a device cannot be opened, as a text for people.
package struct KeychainOpenFailure: Error, Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

/// The database file of a device. A damaged file is set aside and reported, never emptied.
final class ItemStore: Sendable {
    let database: ItemDatabase
    let clock: any DeviceClock
    /// The report about a damaged file, normally nil. Stays until the owner deletes the report file.
    let damageReport: String?
    private let file: KeychainFile

    init(directory: String, clock: any DeviceClock) throws(KeychainOpenFailure) {
        self.clock = clock
        file = KeychainFile(directory: directory, clock: clock)
        database = try file.open()
        // A failure shows in `latchkey doctor`.
        for former in SetAsideDatabase.all(from: file.path) { _ = former.removeTokens() }
        damageReport = file.damageReport
    }

    /// Marks the file if a call met damage, so that the next start checks the whole file.
    func noticeDamage(_ setback: Setback) {
        guard case .database(.damaged) = setback else { return }
        file.markDamage()
    }

    /// Reads outside of any transaction: each statement sees its own state of the database.
    func read<Value>(_ body: (ItemReader) throws -> Value) throws(Setback) -> Value {
        do {
            return try database.read(body)
        } catch {
            throw Setback(error)
        }
    }

    /// Reads in a transaction: faster for many statements, which all see one state of the database.
    func readTogether<Value>(_ body: (ItemReader) throws -> Value) throws(Setback) -> Value {
        do {
            return try database.readTogether(body)
        } catch {
            throw Setback(error)
        }
    }

    /// Runs `body` in a transaction and returns once its changes are on disk. If `body` throws, none of its changes
    /// stays. It may run twice.
    @discardableResult
    func write<Value>(_ body: @escaping (ItemWriter) throws -> Value) throws(Setback) -> Value {
        do {
            return try database.write(body)
        } catch {
            throw Setback(error)
        }
    }

    /// Returns the matching rows after `rowID`, in row order; at most `limit`. They are of one state of the database.
    /// - Parameter reader: the reader of the current transaction or of one state; if nil, the committed rows are
    ///   returned.
    func rows(
        matching filter: RowFilter, after rowID: Int64 = 0, limit: Int, withSecret: Bool,
        from reader: (any RowReading)? = nil
    ) throws(Setback) -> [ItemRow] {
        if let reader {
            return try onDisk(reader.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret))
        }
        return try onDisk(database.rows(matching: filter, after: rowID, limit: limit, withSecret: withSecret))
    }

    /// Returns the next page of rows, at most `limit`; none if there are no pages.
    /// - Parameter reader: as in ``rows(matching:after:limit:withSecret:from:)``.
    func next(
        _ pages: inout RowPages?, limit: Int, withSecret: Bool, from reader: (any RowReading)? = nil
    ) throws(Setback) -> [ItemRow] {
        if let reader { return try onDisk(pages?.next(limit, withSecret: withSecret, from: reader)) ?? [] }
        return try onDisk(pages?.next(limit, withSecret: withSecret, from: database)) ?? []
    }

    /// Returns the number of a new row.
    /// - Parameter microseconds: the time, since 2001-01-01 00:00:00 UTC.
    func newRowNumber(at microseconds: Int64) -> Int64 { database.newRowNumber(at: microseconds) }

    /// Returns the time in the unit of the tables.
    func nowMicroseconds() -> Int64 { clock.wallTime().microsecondsSince2001 }

    /// Cuts off the log if it has what must not be read any more (``DigestRemoval``).
    func overwriteFormerPages() {
        database.overwriteFormerPages()
    }

    /// Reads the numbers that other processes have used, after ``ItemDatabaseFailure/numberTaken``.
    func catchUpWithNumbers() throws(Setback) {
        try onDisk(database.catchUpWithNumbers())
    }
}
