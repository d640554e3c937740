import Glibc
import LatchkeyFileAccess

/// The state of `Snapshot` in the folder of a backup: whether a run has left something there, and what it is worth.
enum SnapshotState: Sendable {
    case absent
    /// A run has not come to its mark: nothing in it counts.
    case staged
    /// A whole backup. It counts before the folder, until everything in it has been moved there.
    case committed(OpenDirectory)

    init(in folder: OpenDirectory) throws(AccessFailure) {
        let snapshot: OpenDirectory
        do throws(AccessFailure) {
            snapshot = try folder.directory(FileName(BackupNames.snapshot))
        } catch .system(_, ENOENT) {
            self = .absent
            return
        }
        let isWhole = try snapshot.status(of: FileName(BackupNames.commit)) != nil
        self = isWhole ? .committed(snapshot) : .staged
    }

    /// The directory that is read before the folder.
    var counting: OpenDirectory? {
        if case .committed(let snapshot) = self { snapshot } else { nil }
    }
}
