import CLatchkeyFileSystemCalls
import LatchkeyThreading

/// A name in a directory, as `readdir` tells it.
package struct Entry: Sendable, Equatable {
    package let name: Path
    package let inode: UInt64
    /// For ``EntryReader/seek(_:)``: the entry behind this one.
    package let next: Int64
}

/// An open directory stream, with `.` and `..`.
package final class EntryReader {
    private let stream: UnsafeMutableRawPointer
    private let name: String

    package init(_ path: Path) throws(CallFailure) {
        name = path.description
        var failure = 0
        guard let stream = path.withC({ lkfs_open_directory($0, &failure) }) else {
            throw CallFailure(call: "opendir \(path)", number: Int32(-failure))
        }
        self.stream = stream
    }

    deinit {
        lkfs_close_directory(stream)
    }

    /// The next entry, or nil at the end.
    package func next() throws(CallFailure) -> Entry? {
        var entry = lkfs_entry()
        guard try checked(lkfs_next_entry(stream, &entry), "readdir \(name)") == 1 else { return nil }
        let bytes = withUnsafeBytes(of: entry.name) { Array($0.prefix(entry.name_count)) }
        return Entry(name: Path(bytes: bytes), inode: entry.inode, next: entry.next_position)
    }

    package var position: Int64 { lkfs_directory_position(stream) }
    package func seek(_ position: Int64) { lkfs_set_directory_position(stream, position) }
    package func rewind() { lkfs_rewind_directory(stream) }
}

extension TestDirectory {
    package func reader(_ name: Path = "") throws(CallFailure) -> EntryReader {
        try EntryReader(name.bytes.isEmpty ? path : path / name)
    }

    /// All entries but `.` and `..`, in the order of the directory.
    package func entries(_ name: Path = "") throws(CallFailure) -> [Entry] {
        let reader = try reader(name)
        var entries: [Entry] = []
        while let entry = try reader.next() {
            if entry.name != "." && entry.name != ".." { entries.append(entry) }
        }
        return entries
    }

    /// The sorted names in a directory.
    package func names(_ name: Path = "") throws(CallFailure) -> [Path] {
        try entries(name).map(\.name).sorted()
    }

    /// Removes everything in the directory, whatever its permissions.
    package func empty(_ name: Path = "") throws(CallFailure) {
        for entry in try entries(name) {
            let below = name / entry.name
            if try status(below).kind == .directory {
                try changeMode(below, 0o700)
                try empty(below)
                try removeDirectory(below)
            } else {
                try unlink(below)
            }
        }
    }
}

/// Another user, as far as files are concerned.
package enum OtherUser {
    /// A number that no account has.
    package static let number: UInt32 = 61_234

    /// Runs `body` on a thread that touches files as the other user, without any right of root.
    package static func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        let answer = Answer<Value>()
        let isStarted = DetachedThread.start {
            lkfs_become_on_files(number, number)
            answer.give(Result { try body() })
        }
        precondition(isStarted, "a test needs its thread")
        return try answer.wait().get()
    }

    private final class Answer<Value: Sendable>: @unchecked Sendable {
        // Sendable because the value is only touched inside of the condition's lock.
        private let condition = WaitCondition()
        private var found: Result<Value, any Error>?

        func give(_ result: Result<Value, any Error>) {
            condition.withLock {
                found = result
                condition.wakeAll()
            }
        }

        func wait() -> Result<Value, any Error> {
            condition.withLock {
                while true {
                    if let found { return found }
                    condition.wait()
                }
            }
        }
    }
}
