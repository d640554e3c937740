import Foundation

@_implementationOnly import GRDB

/// A value that is bound to a statement.
enum ColumnValue {
    case null
    case integer(Int64)
    case text(String)
    case bytes([UInt8])

    init(_ bytes: [UInt8]?) {
        self = bytes.map { .bytes($0) } ?? .null
    }

    init(_ number: Int64?) {
        self = number.map { .integer($0) } ?? .null
    }

    init(_ text: String?) {
        self = text.map { .text($0) } ?? .null
    }

    init(_ binding: RowBinding) {
        switch binding {
        case .withoutSecret: self = .integer(0)
        case .withSecret: self = .integer(1)
        case .none, .unknown: self = .null
        }
    }

    var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }
}
