import Glibc
package import LatchkeyEncoding

@_implementationOnly import GRDB

/// The reason why an operation of the database failed.
package enum ItemDatabaseFailure: Error, Sendable, Equatable {
    case full
    case readOnly
    case inputOutput(String)
    /// The file cannot be opened, for a reason that says nothing of its content.
    case notOpened(StorageObstacle)
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
        switch StorageObstacle(databaseCode: error.extendedResultCode.rawValue) {
        case .damage: self = .damaged(message)
        case .system(ENOSPC): self = .full
        case .system(EROFS): self = .readOnly
        case .system(ENOMEM): self = .outOfMemory
        case .system(EIO): self = .inputOutput(message)
        case .busy, .system, .database: self = .other(code: error.resultCode.rawValue, message: message)
        }
    }

    /// The judgement that all formats share: damage, or what was in the way. Nil for a file of a newer version and for
    /// ``numberTaken``, which are neither.
    package var obstacle: StorageObstacle? {
        switch self {
        case .full: .system(ENOSPC)
        case .readOnly: .system(EROFS)
        case .inputOutput: .system(EIO)
        case .outOfMemory: .system(ENOMEM)
        case .damaged: .damage
        case .notOpened(let obstacle): obstacle
        case .other(let code, _): StorageObstacle(databaseCode: code)
        case .tooNew, .numberTaken: nil
        }
    }
}
