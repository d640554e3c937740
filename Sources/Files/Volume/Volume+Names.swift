import Glibc
import LatchkeyFileAccess
import LatchkeyFileFormat
import LatchkeyKeybag
import LatchkeyThreading
import Synchronization

/// From names to nodes.
extension Volume {
    /// Finds an entry. The kernel then knows the node until it forgets it.
    package func lookup(_ parent: UInt64, _ name: EntryName) throws(VolumeFailure) -> FileAttributes {
        let place = try place(parent, name)
        return try names.reading { () throws(VolumeFailure) in try lookedUp(place) }
    }

    package func forget(_ number: UInt64, count: UInt64) {
        guard let node = nodes.forget(number, count: count) else { return }
        closed.remove(node)
        letGo(node)
    }

    func place(_ parent: UInt64, _ name: EntryName) throws(VolumeFailure) -> VolumeNode.Place {
        let (node, open) = try directory(parent)
        return VolumeNode.Place(parent: node, name: stored(name, in: open.identifier))
    }

    private func stored(_ name: EntryName, in directory: DirectoryIdentifier) -> StoredName {
        let latest = latestName.withLock { $0 }
        if let latest, latest.name == name, latest.directory == directory { return latest.stored }
        let stored = StoredName(sealed: seals.seal(name, in: directory))
        latestName.withLock { $0 = (directory, name, stored) }
        return stored
    }

    /// To be called with `names` held.
    func lookedUp(_ place: VolumeNode.Place) throws(VolumeFailure) -> FileAttributes {
        let status = try place.backing.status(of: place.name.entry)
        let identity = FileIdentity(status)
        if let known = nodes.lookedUp(identity, at: place) { return attributes(known, status) }
        return attributes(nodes.lookedUp(try load(place, status), at: place), status)
    }

    /// Reads what a stored entry says of itself.
    private func load(_ place: VolumeNode.Place, _ status: stat) throws(VolumeFailure) -> VolumeNode {
        let kind = VolumeNode.Kind(mode: status.st_mode)
        var state = VolumeNode.State()
        var directory: VolumeNode.OpenDirectory?
        switch kind {
        case .file:
            let descriptor = try place.backing.open(place.name.entry, O_RDONLY)
            state.permissions = try Permissions.kept(status.st_mode, kind, descriptor)
            // A damaged header is reported when the file is opened; it can still be removed.
            let envelope = withExtendedLifetime(descriptor) {
                try? FileEnvelope.readable(in: DescriptorBacking(descriptor: descriptor.number)).first
            }
            state.size = envelope?.length ?? 0
            state.protection = envelope?.protection
        case .directory:
            let backing = try place.backing.directory(place.name.entry)
            state.permissions = try Permissions.kept(status.st_mode, kind, backing.descriptor)
            state.protection = try Self.protection(of: backing.descriptor)
            state.handsGroupOn = status.st_mode & UInt32(S_ISGID) != 0
            directory = VolumeNode.OpenDirectory(backing: backing, identifier: try Self.identifier(of: backing))
        case .link, .other: break
        }
        return VolumeNode(number: nodes.nextNumber(), FileIdentity(status), kind, directory: directory, state)
    }

    /// The attribute of a stored directory with its ``DirectoryIdentifier``.
    static let identifierAttribute = "user.latchkey.directory"

    static func identifier(of directory: BackingDirectory) throws(VolumeFailure) -> DirectoryIdentifier {
        guard let value = try directory.descriptor.attribute(identifierAttribute),
            let identifier = DirectoryIdentifier(value)
        else { throw VolumeFailure(EIO) }
        return identifier
    }

    /// Removes a file, link, pipe or socket.
    package func remove(_ parent: UInt64, _ name: EntryName) throws(VolumeFailure) {
        try checkWritable()
        let place = try place(parent, name)
        let gone = try names.writing { () throws(VolumeFailure) -> VolumeNode? in
            let status = try place.backing.status(of: place.name.entry)
            try place.backing.remove(place.name.entry)
            removeLongName(place)
            place.parent.hasChanged()
            return takeName(place, from: status)
        }
        dropIfUnused(gone)
    }

    package func removeDirectory(_ parent: UInt64, _ name: EntryName) throws(VolumeFailure) {
        try checkWritable()
        let place = try place(parent, name)
        try names.writing { () throws(VolumeFailure) in
            let status = try place.backing.status(of: place.name.entry)
            try clearing(place) { () throws(VolumeFailure) in try place.backing.removeDirectory(place.name.entry) }
            removeLongName(place)
            place.parent.hasChanged()
            _ = takeName(place, from: status)
        }
    }

    /// Moves an entry to another name.
    ///
    /// - Parameter flags: of `renameat2`: `RENAME_NOREPLACE`, `RENAME_EXCHANGE`.
    package func move(
        _ parent: UInt64, _ name: EntryName, to newParent: UInt64, _ newName: EntryName, flags: UInt32
    ) throws(VolumeFailure) {
        try checkWritable()
        // RENAME_NOREPLACE and RENAME_EXCHANGE. RENAME_WHITEOUT would make an entry that no volume makes.
        guard flags & ~3 == 0 else { throw VolumeFailure(EINVAL) }
        let (old, new) = (try place(parent, name), try place(newParent, newName))
        let gone = try names.writing { () throws(VolumeFailure) -> VolumeNode? in
            let status = try old.backing.status(of: old.name.entry)
            let target = try? new.backing.status(of: new.name.entry)
            let isExchange = flags & 2 != 0
            // Two names of one file: nothing happens, and both stay.
            if let target, FileIdentity(target) == FileIdentity(status), flags == 0 { return nil }
            try writeLongName(new)
            do throws(VolumeFailure) {
                try clearing(new) { () throws(VolumeFailure) in
                    try old.backing.move(old.name.entry, to: new.backing, new.name.entry, flags: flags)
                }
            } catch {
                if target == nil { removeLongName(new) }
                throw error
            }
            old.parent.hasChanged()
            new.parent.hasChanged()
            if !isExchange { removeLongName(old) }
            let gone = target.flatMap { isExchange ? nil : takeName(new, from: $0) }
            if isExchange, let target { exchange(new, old, nodes.known(FileIdentity(target))) }
            exchange(old, new, nodes.known(FileIdentity(status)))
            return gone
        }
        dropIfUnused(gone)
    }

    /// Gives a file another name.
    package func link(
        _ number: UInt64, _ parent: UInt64, _ name: EntryName
    ) throws(VolumeFailure) -> FileAttributes {
        try checkWritable()
        let (node, new) = (try node(number), try place(parent, name))
        return try names.reading { () throws(VolumeFailure) in
            guard let old = node.state.withLock({ $0.places.first }) else { throw VolumeFailure(ENOENT) }
            try writeLongName(new)
            try old.backing.link(old.name.entry, in: new.backing, new.name.entry)
            new.parent.hasChanged()
            return try lookedUp(new)
        }
    }

    /// Takes a name from the node that had it. Returns the node if that was its last name.
    private func takeName(_ place: VolumeNode.Place, from status: stat) -> VolumeNode? {
        guard let node = nodes.known(FileIdentity(status)) else { return nil }
        node.state.withLock { $0.places.removeAll { $0 == place } }
        guard status.st_nlink <= 1 || node.kind == .directory else { return nil }
        nodes.nameless(node)
        return node
    }

    private func exchange(_ old: VolumeNode.Place, _ new: VolumeNode.Place, _ node: VolumeNode?) {
        node?.state.withLock { state in
            state.places = state.places.map { $0 == old ? new : $0 }
        }
    }

    /// The name of a removed file is gone, and its content goes with its last handle.
    private func dropIfUnused(_ node: VolumeNode?) {
        guard let node else { return }
        closed.remove(node)
        letGo(node)
    }

    /// Stores a name that is too long for an entry, before the entry.
    func writeLongName(_ place: VolumeNode.Place) throws(VolumeFailure) {
        guard let long = place.name.longName else { return }
        let stored = try? place.backing.read(long.file, limit: StoredName.longNameByteLimit)
        guard stored != long.content else { return }
        let name = StoredName.unfinished(entropy)
        do throws(VolumeFailure) {
            try place.backing.write(long.content, to: name)
            // A program that makes its directory durable cannot know of this file.
            try place.backing.synchronize(name)
            try place.backing.move(name, to: place.backing, long.file)
        } catch {
            try? place.backing.remove(name)
            throw error
        }
    }

    func removeLongName(_ place: VolumeNode.Place) {
        guard let long = place.name.longName else { return }
        // One that stays behind names nothing, and goes with its directory.
        try? place.backing.remove(long.file)
    }

    /// Has a directory removed, or replaced, that is empty for programs: what operations that were cut off have left there
    /// is removed first.
    private func clearing(
        _ place: VolumeNode.Place, _ body: () throws(VolumeFailure) -> Void
    ) throws(VolumeFailure) {
        do throws(VolumeFailure) {
            return try body()
        } catch {
            guard error.number == ENOTEMPTY || error.number == EEXIST,
                let directory = try? place.backing.directory(place.name.entry), try removeRemnants(directory)
            else { throw error }
        }
        try body()
    }

    /// Returns false if there is anything else in the directory.
    private func removeRemnants(_ directory: BackingDirectory) throws(VolumeFailure) -> Bool {
        let names = try directory.entries().map(\.name)
        let isEmpty = names.allSatisfy { name in
            switch StoredName.entry(name) {
            case .unfinished, .longName: true
            case .sealed, .long, .foreign: false
            }
        }
        guard isEmpty else { return false }
        for name in names { try directory.removeRemnant(name) }
        return true
    }
}

extension VolumeNode.Place {
    /// The directory that stores the entry.
    var backing: BackingDirectory {
        guard let directory = parent.directory else { preconditionFailure("an entry lies in a directory") }
        return directory.backing
    }
}

extension FileIdentity {
    init(_ status: stat) {
        self.init(device: UInt64(status.st_dev), number: UInt64(status.st_ino))
    }
}
