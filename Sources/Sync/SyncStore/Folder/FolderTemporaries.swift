internal import LatchkeyOpenFolders
internal import LatchkeySyncCore
internal import Synchronization

/// The temporary files of one device: their names, and the end of those whose writer did not come to it.
final class FolderTemporaries: Sendable {
    private struct State {
        /// The time at which the file system made the last file, by its own clock.
        var now: Int64?
        var batches = 0
    }

    let path: [String]
    private let nanoseconds: Int64
    private let state = Mutex(State())

    private static let entryLimit = 4_096
    /// Old files are looked for at the first batch, and then each time that so many were written.
    private static let batchesBetween = 256

    init(of device: DeviceIdentifier, seconds: Int64) {
        path = [FolderLayout.temporary, "\(device)"]
        nanoseconds = seconds * 1_000_000_000
    }

    func newName() -> String {
        FixedHexadecimal.text(UInt64.random(in: 0 ... .max), digits: 16)
    }

    /// Takes the time of a file that was just made.
    func note(_ mark: EntryMark?) {
        guard let mark else { return }
        state.withLock { $0.now = mark.modifiedNanoseconds }
    }

    /// Removes files that are older than any writer takes, by the clock of the file system. Files that cannot be removed stay.
    func removeOld(in folder: OpenFolder) {
        let now = state.withLock { state -> Int64? in
            guard let now = state.now else { return nil }
            defer { state.batches += 1 }
            return state.batches.isMultiple(of: Self.batchesBetween) ? now : nil
        }
        guard let now, let entries = try? folder.entries(limit: Self.entryLimit).entries else { return }
        for entry in entries where entry.kind == .file && FixedHexadecimal.number(entry.name, digits: 16) != nil {
            guard let mark = try? folder.mark(of: entry.name), now &- mark.modifiedNanoseconds > nanoseconds else {
                continue
            }
            _ = try? folder.remove(entry.name)
        }
    }
}
