/// The database that a file belongs to, and the part of it that the file is.
///
/// It is in the header, under the header's code: an attacker who moves files cannot make one that belongs to a database.
package struct FileTie: Hashable, Sendable {
    /// A part of a database. Raw values are stored.
    package enum Role: UInt8, Sendable, CaseIterable {
        case database = 1
        /// A rollback journal.
        case journal = 2
        /// A write-ahead log.
        case log = 3
        /// The list of the journals of one transaction over several databases.
        case superJournal = 4
    }

    package let role: Role
    /// The identifier that the database's file had when it got its tie. A restored database has it, too, in a file of another
    /// identifier.
    package let database: [UInt8]

    package static let byteCount = 1 + FileHeader.identifierByteCount

    /// - Parameter database: 16 bytes.
    package init(_ role: Role, of database: [UInt8]) {
        precondition(database.count == FileHeader.identifierByteCount, "an identifier has its length")
        self.role = role
        self.database = database
    }

    /// Decodes ``bytes``; nil for any others.
    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.byteCount, let role = bytes.first.flatMap({ Role(rawValue: $0) }) else { return nil }
        self.init(role, of: Array(bytes.dropFirst()))
    }

    /// The role and the database, for a place outside of a header.
    package var bytes: [UInt8] { [role.rawValue] + database }
}
