import Glibc
import LatchkeyFileAccess

/// The lock between the readers of a backup and the moves of a run, which exchange payloads and lists under their names.
///
/// Readers share it, and a run takes it alone when its new backup counts. It is apart from the lock of runs, which is held
/// throughout, so that a backup is read while the next one is made. Its file belongs to runs: a reader writes nothing.
struct ContentLock: Sendable {
    /// A lock that is held until this object is released.
    final class Hold: Sendable {
        private let file: OwnedDescriptor

        fileprivate init(_ file: OwnedDescriptor) {
            self.file = file
        }

        deinit {
            // A program that was started meanwhile may have a copy of the descriptor for a moment.
            file.unlock()
        }
    }

    enum Outcome: Sendable {
        case held(Hold)
        /// There are no locks here, as on some network file systems, or no run has made the file yet.
        case absent
        /// The other side holds it, and the patience has ended.
        case busy
    }

    private enum Use {
        case shared, alone
    }

    /// Makes the file, for a run. Where there can be none, the run goes on without.
    static func make(in folder: OpenDirectory) throws(AccessFailure) {
        do throws(AccessFailure) {
            _ = try folder.file(FileName(BackupNames.lock), O_RDWR | O_CREAT)
        } catch {
            guard withoutLocks.contains(error.number) else { throw error }
        }
    }

    static func share(_ folder: OpenDirectory, _ patience: LockPatience) -> Outcome {
        take(.shared, folder, patience)
    }

    static func takeAlone(_ folder: OpenDirectory, _ patience: LockPatience) -> Outcome {
        take(.alone, folder, patience)
    }

    private static func take(_ use: Use, _ folder: OpenDirectory, _ patience: LockPatience) -> Outcome {
        // A lock for all needs a descriptor for writing.
        let flags = use == .alone ? O_RDWR : O_RDONLY
        guard let file = try? folder.file(FileName(BackupNames.lock), flags) else { return .absent }
        let outcome = patience.patiently { () -> Outcome? in
            do throws(AccessFailure) {
                return try file.tryLock(alone: use == .alone) ? .held(Hold(file)) : nil
            } catch .system(_, EINTR) {
                return nil
            } catch {
                return .absent
            }
        }
        return outcome ?? .busy
    }

    /// Something else is in the place of the file, or nothing can be made there.
    private static let withoutLocks: Set<Int32> = [EISDIR, EINVAL, ELOOP, EACCES, EPERM, EROFS, ENXIO]
}
