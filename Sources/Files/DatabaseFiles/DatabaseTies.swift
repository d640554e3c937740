import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyThreading

/// The tie of a database's journals to it. Safe to call from many threads.
///
/// SQLite finds a journal by its name alone and plays it back. A tie is in the authenticated header of a file and made here
/// alone, so a file that was stored under that name, or that belongs to another database, is not taken for a journal.
final class DatabaseTies: Sendable {
    /// The parts of a database that stand beside it, by what SQLite appends to its name.
    static let companions: [(suffix: String, role: FileTie.Role)] = [("-journal", .journal), ("-wal", .log)]

    /// - Parameter suffix: one of those of ``companions``.
    static func role(ofSuffix suffix: Substring) -> FileTie.Role {
        companions.first { $0.suffix == suffix }?.role ?? .journal
    }

    private let database: [UInt8]
    /// True if the database's file has its tie. One from before ties gets it when it is first opened for writing.
    private let isMarked: ForkMutex<Bool>
    /// Held while a database gets its tie: another connection must not find a part of it done.
    private static let marking = ForkMutex(())

    /// - Parameter file: the database's.
    init(_ file: OpenFile) throws(AccessFailure) {
        let tie = try file.tie()
        let own = tie?.role == .database ? tie : nil
        if let own { database = own.database } else { database = try file.identifier() }
        isMarked = ForkMutex(own != nil)
    }

    func tie(_ role: FileTie.Role) -> FileTie { FileTie(role, of: database) }

    /// Returns true if a file is this database's in a role. A database without a tie takes what has none, too, and then ties it.
    ///
    /// An empty file has nothing to say, whose ever it was.
    func take(_ file: OpenFile, as role: FileTie.Role, isWritable: Bool) throws(AccessFailure) -> Bool {
        let found = try file.tie()
        guard found != tie(role) else { return true }
        let isOlder = found == nil && !isMarked.withLock { $0 }
        if !isOlder, try file.size() > 0 { return false }
        if isWritable { try file.setTie(tie(role)) }
        return true
    }

    /// Gives a database from before ties its tie, after the journals that it has: cut off in between, the database still takes
    /// them, because their tie is the one that it will get.
    ///
    /// - Parameter companion: opens a journal for writing; nil for a file that is not protected.
    func mark(
        _ file: OpenFile, companion: (String) throws(AccessFailure) -> OpenFile?
    ) throws(AccessFailure) {
        guard !isMarked.withLock({ $0 }) else { return }
        try Self.marking.withLock { _ throws(AccessFailure) in
            guard !isMarked.withLock({ $0 }) else { return }
            for (suffix, role) in Self.companions {
                do throws(AccessFailure) {
                    guard let found = try companion(suffix), try found.tie() == nil else { continue }
                    try found.setTie(tie(role))
                } catch .system("open", ENOENT) {
                    continue
                } catch {
                    // It is locked, or something else is in its place: the next opening tries again.
                    return
                }
            }
            try file.setTie(tie(.database))
            isMarked.withLock { $0 = true }
        }
    }
}
