import Glibc
package import LatchkeyKeybag

@_implementationOnly import CLatchkeyShims

/// The class of a file on a mounted volume, where programs see its content: an extended attribute that the volume answers.
package enum VolumeProtection {
    /// The class of a file; nil if it is not on a volume.
    package static func of(_ descriptor: OwnedDescriptor) -> FileProtection? {
        // An attribute that was copied to another file system says nothing.
        guard lk_file_is_on_fuse(descriptor.number) != 0 else { return nil }
        let value = unsafe [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = unsafe max(
                0,
                lk_attribute_get_open(
                    descriptor.number, DirectoryProtection.attribute, buffer.baseAddress, buffer.count))
        }
        return FileProtection(rawValue: String(decoding: value, as: UTF8.self))
    }

    /// True if an item, or the folder that it is to be made in, is on a mounted volume.
    static func isOnVolume(itemAt path: String) -> Bool {
        guard
            let folder = try? OpenDirectory(
                opening: StoredProtection.isDirectory(path) ? path : FilePath.folder(of: path))
        else { return false }
        // A directory of a volume may have no class of its own, but the volume says so.
        return lk_file_is_on_fuse(folder.number) != 0
    }

    package static func set(_ protection: FileProtection, of descriptor: OwnedDescriptor) throws(AccessFailure) {
        try set(protection, descriptor.number)
    }

    private static func set(_ protection: FileProtection, _ descriptor: Int32) throws(AccessFailure) {
        let value = Array(protection.rawValue.utf8)
        let outcome = unsafe lk_attribute_set_open(
            descriptor, DirectoryProtection.attribute, value, value.count, 0)
        guard outcome == 0 else { throw .system(call: "fsetxattr", errno: -outcome) }
    }

    /// Makes a file of a class, whatever class the volume gives to new files in its folder; nil if there is a file already.
    ///
    /// A volume decides the class of a file when the file is made, by its directory. So the file is made in a directory of the
    /// class, and moved from there; the descriptor stays open. Directories need no key: they are made in every lock state.
    static func made(
        _ path: String, permissions: UInt32, _ protection: FileProtection
    ) throws(AccessFailure) -> OwnedDescriptor? {
        guard let name = FileName.parts(of: path).last else { throw .system(call: "open", errno: EISDIR) }
        let folder = try OpenDirectory(opening: FilePath.folder(of: path))
        let classedName = FileName(".latchkey-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))")
        let classed = try folder.newDirectory(classedName)
        defer { folder.removeDirectory(classedName) }
        try set(protection, classed.number)
        let file = try classed.file(name, O_RDWR | O_CREAT | O_EXCL, permissions: permissions)
        do throws(AccessFailure) {
            if try classed.move(name, toNewNameIn: folder) { return file }
        } catch {
            classed.remove(name)
            throw error
        }
        classed.remove(name)
        return nil
    }
}
