import LatchkeyFileAccess

@_implementationOnly import CLatchkeyDatabaseLog
@_implementationOnly import GRDBSQLite

extension DatabaseRefusal {
    /// The result code for SQLite.
    ///
    /// Inside a transaction it is of the family `SQLITE_IOERR` or `SQLITE_FULL`: these alone make SQLite roll back and forget
    /// the pages in memory. Where nothing has begun, a locked device is `SQLITE_AUTH`, as on iOS.
    func code(_ deed: Deed) -> Int32 {
        let isOutside = deed == .open || deed == .begin
        switch kind {
        case .locked: return isOutside ? SQLITE_AUTH : Self.extended(SQLITE_IOERR, 28)
        case .otherDevice: return isOutside ? SQLITE_NOTADB : Self.extended(SQLITE_IOERR, 28)
        case .damaged: return deed == .open ? SQLITE_CORRUPT : Self.extended(SQLITE_IOERR, 32)
        case .full: return SQLITE_FULL
        case .readOnly: return deed == .open ? SQLITE_CANTOPEN : SQLITE_READONLY
        case .busy: return isOutside ? SQLITE_BUSY : Self.extended(SQLITE_IOERR, Self.detail(deed))
        case .wrongParameter: return SQLITE_MISUSE
        case .inClear, .foreign, .newerVersion, .missing, .failed:
            return deed == .open ? SQLITE_CANTOPEN : Self.extended(SQLITE_IOERR, Self.detail(deed))
        }
    }

    /// Hands the message to SQLite's error log and returns the code.
    func report(_ deed: Deed) -> Int32 {
        let code = code(deed)
        unsafe lk_database_log(code, message)
        return code
    }

    /// Hands the message to SQLite's error log, for something that does not fail.
    func note() {
        unsafe lk_database_log(SQLITE_NOTICE, message)
    }

    /// The number of an extended code, as in sqlite3.h: Swift does not import macros with arithmetic.
    private static func detail(_ deed: Deed) -> Int32 {
        switch deed {
        case .open, .read: 1
        case .write: 3
        case .synchronize: 4
        case .truncate: 6
        case .size: 7
        case .remove: 10
        case .begin: 15
        case .close: 16
        }
    }

    private static func extended(_ code: Int32, _ detail: Int32) -> Int32 { code | detail << 8 }
}
