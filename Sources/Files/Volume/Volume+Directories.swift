package import Glibc
import LatchkeyFileAccess
import Synchronization

/// Reading directories.
extension Volume {
    /// An entry of a directory.
    package struct Entry: Sendable {
        package let name: EntryName
        /// As `stat` has it.
        package let number: UInt64
        /// As `readdir` has it: `DT_REG` and its like.
        package let type: UInt8
    }

    /// Returns the present entries of a directory without `.` and `..`, and without entries that no volume made.
    package func entries(_ number: UInt64) throws(VolumeFailure) -> [Entry] {
        let (_, open) = try directory(number)
        var entries: [Entry] = []
        for stored in try open.backing.entries() {
            guard let name = name(of: stored.name, in: open) else { continue }
            entries.append(Entry(name: name, number: stored.number, type: stored.type))
        }
        return entries
    }

    /// Rises with each entry that comes or goes.
    package func changeCount(ofDirectory number: UInt64) throws(VolumeFailure) -> UInt64 {
        try directory(number).node.state.withLock { $0.changeCount }
    }

    /// The name of a stored entry; nil for what belongs to another one, and for what no volume made.
    func name(of stored: FileName, in directory: VolumeNode.OpenDirectory) -> EntryName? {
        switch StoredName.entry(stored) {
        case .sealed(let sealed): return seals.openName(sealed, in: directory.identifier)
        case .long(let file):
            let sealed = try? directory.backing.read(file, limit: StoredName.longNameByteLimit)
            guard let sealed, StoredName(sealed: sealed).entry == stored else { return nil }
            return seals.openName(sealed, in: directory.identifier)
        case .longName, .unfinished, .foreign: return nil
        }
    }

    /// The number of the directory above, as `stat` has it.
    package func numberOfParent(_ number: UInt64) -> UInt64 {
        let node = nodes.node(number)
        let parent = node?.state.withLock { $0.places.first?.parent } ?? node
        return parent?.identity.number ?? number
    }

    /// Makes the names in a directory durable.
    package func synchronizeDirectory(_ number: UInt64) throws(VolumeFailure) {
        try directory(number).open.backing.synchronize()
    }

    package func space() throws(VolumeFailure) -> statvfs {
        var space = statvfs()
        let root = try directory(Self.rootNumber).open
        guard unsafe fstatvfs(root.backing.descriptor.number, &space) == 0 else { throw .ofLastCall }
        space.f_namemax = UInt(EntryName.byteLimit)
        return space
    }
}
