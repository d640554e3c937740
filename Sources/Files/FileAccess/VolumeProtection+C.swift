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
        let value = Array(protection.rawValue.utf8)
        let outcome = unsafe lk_attribute_set_open(
            descriptor.number, DirectoryProtection.attribute, value, value.count, 0)
        guard outcome == 0 else { throw .system(call: "fsetxattr", errno: -outcome) }
    }
}
