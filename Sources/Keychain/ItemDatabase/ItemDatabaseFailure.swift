@_implementationOnly import GRDB

/// The reason why an operation of the database failed.
package enum ItemDatabaseFailure: Error, Sendable, Equatable {
    case full
    case readOnly
    case inputOutput(String)
    case outOfMemory
    /// The file is damaged, or is not a database.
    case damaged(String)
    /// The file was written by a newer version of this program.
    case tooNew
    /// Another process has already used the row's number; call ``ItemDatabase/catchUpWithNumbers()``.
    case numberTaken
    case other(code: Int32, message: String)

    /// Converts any error that a call of this port has thrown. `DatabaseError.message` comes from SQLite and names
    /// tables and columns at most, never values.
    package static func from(_ error: any Error) -> ItemDatabaseFailure { ItemDatabaseFailure(error) }

    init(_ error: any Error) {
        if let failure = error as? ItemDatabaseFailure {
            self = failure
            return
        }
        guard let error = error as? DatabaseError else {
            self = .other(code: -1, message: String(describing: type(of: error)))
            return
        }
        let message = error.message ?? "no message"
        switch error.resultCode {
        case .SQLITE_FULL: self = .full
        case .SQLITE_READONLY: self = .readOnly
        case .SQLITE_IOERR: self = .inputOutput(message)
        case .SQLITE_NOMEM: self = .outOfMemory
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(message)
        default: self = .other(code: error.resultCode.rawValue, message: message)
        }
    }
}
