import Glibc
import LatchkeyEncoding
package import LatchkeyFileAccess
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// A run that makes the next backup in a folder: everything new goes to `Snapshot` first, and takes its place when it is
/// whole and durable.
///
/// The mark in between is the file `commit`. Without it the former backup counts, and what lies in `Snapshot` is worth
/// nothing; with it the new one counts, and the next run finishes the moves. The file names the payloads that go.
///
/// Two locks: that of runs is held throughout. The moves alone need ``ContentLock``, which readers share.
package final class BackupStage {
    /// Where a test stops a run.
    package enum Point: Sendable, Hashable, CaseIterable {
        case beforeCommit, afterCommit, amidMoves, beforeEnd
    }

    /// The place of a new backup that counts.
    package enum Placement: Sendable, Hashable {
        case inPlace
        /// Readers were at work, and the patience ended. The next run moves it.
        case awaitsReaders
        /// A move failed, with the system's error. The next run goes on with them.
        case unfinished(errno: Int32)
    }

    package let path: String
    private let directory: OpenDirectory
    private let snapshot: OpenDirectory
    /// The folders of payloads that were made, by their names.
    private var folders: [String: OpenDirectory] = [:]
    /// Called at each point; an error that it throws ends the run there.
    package var testOnlyAt: ((Point) throws(BackupFailure) -> Void)?

    private static let commitMagic = "latchkey-backup-commit-1\n"
    private static let commitByteLimit = 1 << 30

    /// Opens the folder of a backup, makes it if it is not there, and locks it against other runs. Finishes, or takes
    /// away, what an earlier run has left.
    ///
    /// A link, or a directory of another user, is refused: who can write to `parent` could have put it there.
    ///
    /// - Parameter patience: with readers, if an earlier run has not moved its backup.
    package init(
        in parent: String, named name: String, patience: LockPatience = .none
    ) throws(BackupFailure) {
        path = FilePath.entry(name, of: parent)
        do throws(AccessFailure) {
            let above = try OpenDirectory(opening: parent)
            try above.makeDirectory(FileName(name), permissions: 0o700)
            directory = try above.directory(FileName(name))
            guard try directory.status().st_uid == geteuid() else { throw .system(call: "openat", errno: EPERM) }
            // A file system without locks is used all the same.
            if flock(directory.number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
                throw .system(call: "flock", errno: EBUSY)
            }
            try ContentLock.make(in: directory)
            var isBusy = false
            switch try SnapshotState(in: directory) {
            case .absent: break
            case .staged: try Self.discard(directory)
            case .committed(let rest): isBusy = try !Self.finishRest(directory, rest, patience)
            }
            guard !isBusy else { throw .inUse }
            try directory.makeDirectory(FileName(BackupNames.snapshot), permissions: 0o700)
            snapshot = try directory.directory(FileName(BackupNames.snapshot))
        } catch .inUse {
            throw .beingRead(path: path)
        } catch {
            throw .system(path: path, errno: error.number)
        }
    }

    /// Takes away what was staged, unless it is the backup already. The former backup is as it was.
    package func discardUnlessCommitted() {
        guard (try? snapshot.status(of: FileName(BackupNames.commit))) == nil else { return }
        try? Self.discard(directory)
    }

    /// A new file for the payload of a file.
    package func payload(_ id: FileID) throws(BackupFailure) -> OwnedDescriptor {
        try carrying(id.description) { () throws(AccessFailure) in
            let folder: OpenDirectory
            if let known = folders[id.folder] {
                folder = known
            } else {
                try snapshot.makeDirectory(FileName(id.folder), permissions: 0o700)
                folder = try snapshot.directory(FileName(id.folder))
                folders[id.folder] = folder
            }
            return try folder.file(FileName(id.description), O_RDWR | O_CREAT | O_TRUNC)
        }
    }

    /// Takes a payload back that is not to be in the backup.
    package func remove(_ id: FileID) {
        folders[id.folder]?.remove(FileName(id.description))
    }

    /// Writes a list or another small file of the backup.
    package func write(_ bytes: [UInt8], as name: String) throws(BackupFailure) {
        try carrying(name) { () throws(AccessFailure) in try Self.write(bytes, FileName(name), in: snapshot) }
    }

    /// Lets the new backup count, and then take the place of the former one.
    ///
    /// - Parameters:
    ///   - removed: files of the former backup that the new one does not have.
    ///   - patience: with readers of the former backup.
    /// - Throws: if the former backup still counts.
    package func commit(
        removing removed: [FileID], patience: LockPatience = .none
    ) throws(BackupFailure) -> Placement {
        try testOnlyAt?(.beforeCommit)
        try carrying(BackupNames.commit) { () throws(AccessFailure) in
            try Self.synchronizeAll(snapshot)
            let text = Self.commitMagic + removed.map { $0.description + "\n" }.joined()
            let temporary = FileName(".\(BackupNames.commit)")
            try Self.write(Array(text.utf8), temporary, in: snapshot)
            try Self.synchronizeAll(snapshot)
            try snapshot.rename(temporary, to: FileName(BackupNames.commit))
        }
        // From here on the new backup counts.
        do {
            try snapshot.synchronize()
            try testOnlyAt?(.afterCommit)
            let outcome = ContentLock.takeAlone(directory, patience)
            if case .busy = outcome { return .awaitsReaders }
            try withExtendedLifetime(outcome) {
                try Self.finish(directory, snapshot) { point in try testOnlyAt?(point) }
            }
            return .inPlace
        } catch let failure as BackupFailure {
            throw failure
        } catch let failure as AccessFailure {
            return .unfinished(errno: failure.number)
        } catch {
            return .unfinished(errno: EIO)
        }
    }

    /// Moves what an earlier run has left. Returns false if readers are at work.
    private static func finishRest(
        _ directory: OpenDirectory, _ snapshot: OpenDirectory, _ patience: LockPatience
    ) throws(AccessFailure) -> Bool {
        let outcome = ContentLock.takeAlone(directory, patience)
        if case .busy = outcome { return false }
        do {
            try withExtendedLifetime(outcome) { try finish(directory, snapshot) { _ in } }
            return true
        } catch let failure as AccessFailure {
            throw failure
        } catch {
            throw .system(call: "renameat", errno: EIO)
        }
    }

    /// Moves everything of a whole snapshot to its place. Can be done again from any point on.
    private static func finish(
        _ directory: OpenDirectory, _ snapshot: OpenDirectory, at: (Point) throws -> Void
    ) throws {
        for name in try snapshot.names() where name.bytes.count == 2 && isDirectory(name, in: snapshot) {
            let from = try snapshot.directory(name)
            try directory.makeDirectory(name, permissions: 0o700)
            let to = try directory.directory(name)
            for entry in try DirectoryEntry.all(in: from.number) { try from.move(entry.name, to: to) }
            try at(.amidMoves)
        }
        for id in try removals(in: snapshot) {
            guard let folder = try? directory.directory(FileName(id.folder)) else { continue }
            folder.remove(FileName(id.description))
        }
        // The list with the key of the index comes last, right behind the index.
        for name in [
            BackupNames.info, BackupNames.state, BackupNames.status, BackupNames.index, BackupNames.manifest,
        ] where try snapshot.status(of: FileName(name)) != nil {
            try snapshot.move(FileName(name), to: directory)
        }
        try synchronizeAll(directory)
        try at(.beforeEnd)
        snapshot.remove(FileName(BackupNames.commit))
        try snapshot.synchronize()
        try discard(directory)
    }

    private static func removals(in snapshot: OpenDirectory) throws -> [FileID] {
        let file = try snapshot.file(FileName(BackupNames.commit))
        let size = Int(try file.status().st_size)
        guard size <= commitByteLimit else { throw AccessFailure.system(call: "read", errno: EFBIG) }
        let buffer = SecretBuffer(count: max(1, size))
        let count = try unsafe file.read(at: 0, into: .init(rebasing: buffer.bytes[..<size]))
        let text = unsafe String(decoding: buffer.bytes[..<count], as: UTF8.self)
        guard text.hasPrefix(commitMagic) else { return [] }
        return text.dropFirst(commitMagic.count).split(separator: "\n").compactMap { FileID(String($0)) }
    }

    private static func isDirectory(_ name: FileName, in directory: OpenDirectory) -> Bool {
        (try? directory.directory(name)) != nil
    }

    private static func discard(_ directory: OpenDirectory) throws(AccessFailure) {
        let outcome = unsafe lk_directory_remove(directory.ownPath + "/" + BackupNames.snapshot)
        guard outcome == 0 || outcome == -ENOENT else { throw .system(call: "rmdir", errno: -outcome) }
    }

    private static func write(_ bytes: [UInt8], _ name: FileName, in directory: OpenDirectory) throws(AccessFailure) {
        let file = try directory.file(name, O_RDWR | O_CREAT | O_TRUNC)
        try unsafe bytes.lend { (bytes) throws(AccessFailure) in try unsafe file.write(at: 0, from: bytes) }
    }

    private static func synchronizeAll(_ directory: OpenDirectory) throws(AccessFailure) {
        let outcome = withExtendedLifetime(directory) { lk_file_synchronize_all(directory.number) }
        guard outcome == 0 else { throw .system(call: "syncfs", errno: -outcome) }
    }

    private func carrying<Value>(
        _ name: String, _ body: () throws(AccessFailure) -> Value
    ) throws(BackupFailure) -> Value {
        do throws(AccessFailure) {
            return try body()
        } catch {
            throw .system(path: path + "/" + name, errno: error.number)
        }
    }
}
