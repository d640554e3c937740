import Glibc

/// A path as SQLite has it. Paths are compared by their bytes: names that look alike are different files.
struct DatabasePath: Hashable, Sendable {
    let bytes: [UInt8]

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    init(_ name: UnsafePointer<CChar>) {
        bytes = unsafe Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }

    private init(bytes: ArraySlice<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Nil for a path that is not UTF-8: the calls of Foundation cannot name its file.
    var text: String? { String(validating: bytes, as: UTF8.self) }

    /// The path of the database that a journal of this path belongs to; nil for another file.
    var databaseOfJournal: DatabasePath? {
        Self.suffixes.first { bytes.suffix($0.count).elementsEqual($0) }.map {
            DatabasePath(bytes: bytes.dropLast($0.count))
        }
    }

    /// The paths of the journals that this database may have.
    var journals: [DatabasePath] { Self.suffixes.map { DatabasePath(bytes: (bytes + $0)[...]) } }

    /// The path of the database beside which a super-journal of this path lies; nil for another file.
    ///
    /// SQLite names it after the database: "-mj" and nine hexadecimal digits.
    var databaseOfSuperJournal: DatabasePath? {
        let digits = bytes.suffix(Self.superJournalDigitCount)
        let rest = bytes.dropLast(Self.superJournalDigitCount)
        guard digits.count == Self.superJournalDigitCount, digits.allSatisfy(Self.isHexadecimal),
            rest.count > Self.superJournalMark.count,
            rest.suffix(Self.superJournalMark.count) == Self.superJournalMark[...]
        else { return nil }
        return DatabasePath(bytes: rest.dropLast(Self.superJournalMark.count))
    }

    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"),
            UInt8(ascii: "a")...UInt8(ascii: "f"):
            true
        default: false
        }
    }

    private static let superJournalMark = Array("-mj".utf8)
    private static let superJournalDigitCount = 9
    private static let suffixes = DatabaseTies.companions.map { Array($0.suffix.utf8) }
}
