import Glibc
import LatchkeyCryptoSuite
import LatchkeyFileAccess
package import LatchkeyKeybag
import LatchkeySecretMemory
import LatchkeyThreading
import Synchronization

/// New files, directories and links.
extension Volume {
    /// Makes a file, with a handle on it. `EEXIST` if there is one.
    ///
    /// - Parameters:
    ///   - permissions: with the program's mask applied.
    ///   - protection: the class; nil for that of the directory, or of the volume.
    package func makeFile(
        _ parent: UInt64, _ name: EntryName, permissions: UInt32, by caller: VolumeCaller,
        protection: FileProtection? = nil
    ) throws(VolumeFailure) -> FileAttributes {
        try checkWritable()
        let place = try place(parent, name)
        let protection =
            protection ?? place.parent.protection ?? programProtection(caller) ?? description.defaultProtection
        // Asked before anything is made: a locked device refuses some classes.
        let key = try lifted { () throws(AccessFailure) in try vault.newKey(protection) }
        return try names.reading { () throws(VolumeFailure) in
            try writeLongName(place)
            let (stored, kept) = Permissions.stored(granted(permissions, to: caller, place.parent), .file)
            let descriptor = try place.backing.open(place.name.entry, O_RDWR | O_CREAT | O_EXCL, permissions: stored)
            do throws(VolumeFailure) {
                try give(descriptor, to: caller, place.parent, permissions: stored)
                if let kept { try descriptor.setAttribute(Permissions.attribute, Permissions.value(kept)) }
                let file = try lifted { () throws(AccessFailure) in
                    try vault.make(key, in: descriptor)
                }
                let status = try lifted { () throws(AccessFailure) in try descriptor.status() }
                let state = VolumeNode.State(permissions: kept, protection: protection)
                let node = VolumeNode(number: nodes.nextNumber(), FileIdentity(status), .file, state)
                file.followDevice()
                node.content.withLock { state in
                    state.content = .init(file: file, descriptor: descriptor, isWritable: true)
                    state.handles = 1
                }
                place.parent.hasChanged()
                return attributes(nodes.lookedUp(node, at: place), status)
            } catch {
                try? place.backing.remove(place.name.entry)
                removeLongName(place)
                throw error
            }
        }
    }

    package func makeDirectory(
        _ parent: UInt64, _ name: EntryName, permissions: UInt32, by caller: VolumeCaller
    ) throws(VolumeFailure) -> FileAttributes {
        try checkWritable()
        let place = try place(parent, name)
        return try names.reading { () throws(VolumeFailure) in
            // Under another name until it has its identifier: a directory without one is damage.
            let unfinished = StoredName.unfinished(entropy)
            let (stored, kept) = Permissions.stored(permissions, .directory)
            try place.backing.makeDirectory(unfinished, permissions: stored)
            var entry = unfinished
            do throws(VolumeFailure) {
                let made = try place.backing.directory(unfinished).descriptor
                try give(made, to: caller, place.parent, permissions: nil)
                try made.setAttribute(Self.identifierAttribute, entropy.bytes(DirectoryIdentifier.byteCount))
                if let kept { try made.setAttribute(Permissions.attribute, Permissions.value(kept)) }
                if let protection = place.parent.protection {
                    try made.setAttribute(DirectoryProtection.attribute, Array(protection.rawValue.utf8))
                }
                try writeLongName(place)
                // RENAME_NOREPLACE
                try place.backing.move(unfinished, to: place.backing, place.name.entry, flags: 1)
                entry = place.name.entry
                place.parent.hasChanged()
                return try lookedUp(place)
            } catch {
                // A failure leaves nothing.
                try? place.backing.removeDirectory(entry)
                throw error
            }
        }
    }

    /// Makes a pipe or a socket, and for root a device.
    package func makeSpecial(
        _ parent: UInt64, _ name: EntryName, mode: UInt32, device: UInt64, by caller: VolumeCaller
    ) throws(VolumeFailure) -> FileAttributes {
        try make(parent, name, by: caller) { (backing, entry) throws(VolumeFailure) in
            try backing.makeSpecial(entry, mode: mode, device: device)
        }
    }

    /// Makes a symbolic link. Sealed, a target takes more room: it may have about 3,000 bytes.
    package func makeLink(
        _ parent: UInt64, _ name: EntryName, to target: [UInt8], by caller: VolumeCaller
    ) throws(VolumeFailure) -> FileAttributes {
        let text = SealedText.encode(seals.sealTarget(target))
        guard text.count < 4096 else { throw VolumeFailure(ENAMETOOLONG) }
        return try make(parent, name, by: caller) { (backing, entry) throws(VolumeFailure) in
            try backing.makeLink(entry, to: text)
        }
    }

    package func target(ofLink number: UInt64) throws(VolumeFailure) -> [UInt8] {
        let node = try node(number)
        guard node.kind == .link else { throw VolumeFailure(EINVAL) }
        return try names.reading { () throws(VolumeFailure) in
            guard let place = node.state.withLock({ $0.places.first }) else { throw VolumeFailure(ENOENT) }
            guard let sealed = SealedText.decode(try place.backing.target(of: place.name.entry)),
                let target = seals.openTarget(sealed)
            else { throw VolumeFailure(EIO) }
            return target
        }
    }

    private func make(
        _ parent: UInt64, _ name: EntryName, by caller: VolumeCaller,
        _ body: (BackingDirectory, FileName) throws(VolumeFailure) -> Void
    ) throws(VolumeFailure) -> FileAttributes {
        try checkWritable()
        let place = try place(parent, name)
        return try names.reading { () throws(VolumeFailure) in
            try writeLongName(place)
            try body(place.backing, place.name.entry)
            place.parent.hasChanged()
            do throws(VolumeFailure) {
                if isRoot {
                    try place.backing.setOwner(of: place.name.entry, caller.user, group(caller, place.parent))
                }
                return try lookedUp(place)
            } catch {
                try? place.backing.remove(place.name.entry)
                throw error
            }
        }
    }

    /// Makes what root makes the caller's.
    ///
    /// - Parameter permissions: of a file; nil for a directory.
    private func give(
        _ descriptor: OwnedDescriptor, to caller: VolumeCaller, _ parent: VolumeNode, permissions: UInt32?
    ) throws(VolumeFailure) {
        guard isRoot, caller.user != 0 || caller.group != 0 || isSetgid(parent) else { return }
        guard fchown(descriptor.number, caller.user, group(caller, parent)) == 0 else { throw .ofLastCall }
        // A new owner takes away from a file what lets it run as its owner or group.
        guard let permissions, permissions & Self.runsAsOther != 0 else { return }
        guard fchmod(descriptor.number, permissions) == 0 else { throw .ofLastCall }
    }

    private static let runsAsOther = UInt32(S_ISUID | S_ISGID)

    /// The permissions of a new file: it does not run as a group that may not be the program's.
    private func granted(_ permissions: UInt32, to caller: VolumeCaller, _ parent: VolumeNode) -> UInt32 {
        guard isRoot, caller.user != 0, group(caller, parent) != caller.group else { return permissions }
        return permissions & ~UInt32(S_ISGID)
    }

    /// A directory with the setgid bit hands its group on.
    private func group(_ caller: VolumeCaller, _ parent: VolumeNode) -> UInt32 {
        guard isSetgid(parent), let status = try? parent.directory?.backing.status() else { return caller.group }
        return status.st_gid
    }

    private func isSetgid(_ parent: VolumeNode) -> Bool {
        parent.state.withLock { $0.handsGroupOn }
    }
}
