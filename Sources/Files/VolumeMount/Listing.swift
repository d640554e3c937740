import Glibc
import LatchkeyVolume
import Synchronization

/// The entries of a directory for a program that reads it.
///
/// An entry keeps its place as long as the program has the directory open, so that it can go on where it was: names that
/// were removed meanwhile are passed over, and new ones follow at the end.
final class Listing: Sendable {
    struct Entry: Sendable {
        let name: [UInt8]
        let number: UInt64
        let type: UInt8
        /// Nil for `.` and `..`.
        let entryName: EntryName?
        var isRemoved = false
    }

    private struct State {
        var entries: [Entry] = []
        /// Of the directory, when the entries were read.
        var changeCount: UInt64?
    }

    private let directory: UInt64
    private let volume: Volume
    private let state = Mutex(State())

    init(_ directory: UInt64, _ volume: Volume) {
        self.directory = directory
        self.volume = volume
    }

    /// The entries from a place on, and the place of the first one.
    func entries(from place: Int) throws(VolumeFailure) -> ArraySlice<Entry> {
        try state.withLock { state throws(VolumeFailure) in
            let changeCount = try volume.changeCount(ofDirectory: directory)
            if state.changeCount != changeCount {
                let found = try read()
                state.entries = place == 0 ? found : Self.merged(state.entries, found)
                state.changeCount = changeCount
            }
            return state.entries.dropFirst(place)
        }
    }

    private func read() throws(VolumeFailure) -> [Entry] {
        let own = try volume.attributes(directory)
        let type = UInt8(DT_DIR)
        var entries = [
            Entry(name: Array(".".utf8), number: UInt64(own.status.st_ino), type: type, entryName: nil),
            Entry(name: Array("..".utf8), number: volume.numberOfParent(directory), type: type, entryName: nil),
        ]
        for entry in try volume.entries(directory) {
            entries.append(
                Entry(name: entry.name.bytes, number: entry.number, type: entry.type, entryName: entry.name))
        }
        return entries
    }

    private static func merged(_ known: [Entry], _ found: [Entry]) -> [Entry] {
        // A name that is removed and made again while the directory is read may be found twice.
        var rest = Dictionary(found.map { ($0.name, $0) }) { first, _ in first }
        var merged = known.map { entry in
            var entry = entry
            entry.isRemoved = rest.removeValue(forKey: entry.name) == nil
            return entry
        }
        merged += found.filter { rest.removeValue(forKey: $0.name) != nil }
        return merged
    }
}
