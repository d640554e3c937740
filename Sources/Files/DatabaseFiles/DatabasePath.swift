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

    private static let suffixes = ["-journal", "-wal"].map { Array($0.utf8) }
}
