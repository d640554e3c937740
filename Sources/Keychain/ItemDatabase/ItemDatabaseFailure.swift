@_implementationOnly import GRDB

/// Why the database did not do its work.
package enum ItemDatabaseFailure: Error, Sendable, Equatable {
    case full
    case readOnly
    case inputOutput(String)
    case outOfMemory
    /// The file is no database or a damaged one.
    case damaged(String)
    /// Written by a newer version of this program.
    case tooNew
    /// Another process has given the row's number to a row of its own; ``ItemDatabase/catchUpWithNumbers()`` helps.
    case numberTaken
    case other(code: Int32, message: String)

    /// `DatabaseError.message` comes from SQLite and names tables and columns at most, never values.
    /// Whatever a call of this port threw, as one of its own failures.
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
