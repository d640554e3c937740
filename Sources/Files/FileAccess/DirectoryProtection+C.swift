import Glibc
package import LatchkeyKeybag

@_implementationOnly import CLatchkeyShims

/// The class that new files in a directory get, in an extended attribute of the directory: Apple's name of the class.
package enum DirectoryProtection {
    package static let attribute = "user.latchkey.protection"
    /// Attributes that say something of the place of a file, and are not copied to other files.
    static let attributePrefix = "user.latchkey."

    /// The class of the nearest directory above an item that has one; nil if none has.
    ///
    /// Directories that were made by programs that know nothing of classes inherit theirs in this way.
    package static func inherited(byItemAt path: String) -> FileProtection? {
        // The real path: the directory above a link is not the one above the file.
        guard var directory = FilePath.resolved(FilePath.folder(of: path)) else { return nil }
        while true {
            if let found = own(ofDirectoryAt: directory) { return found }
            guard directory != "/" else { return nil }
            directory = FilePath.folder(of: directory)
        }
    }

    /// The class of a new protected file whose class no call names.
    static func ofNewFile(at path: String) -> FileProtection {
        inherited(byItemAt: path) ?? .completeUntilFirstUserAuthentication
    }

    /// The class of the directory itself; nil if it has none.
    package static func own(ofDirectoryAt path: String) -> FileProtection? {
        let value = unsafe [UInt8](unsafeUninitializedCapacity: valueByteLimit) { buffer, count in
            count = unsafe max(0, lk_attribute_get(path, attribute, buffer.baseAddress, buffer.count))
        }
        return FileProtection(rawValue: String(decoding: value, as: UTF8.self))
    }

    package static func set(_ protection: FileProtection, ofDirectoryAt path: String) throws(AccessFailure) {
        let value = Array(protection.rawValue.utf8)
        let outcome = unsafe lk_attribute_set(path, attribute, value, value.count)
        guard outcome == 0 else { throw .system(call: "setxattr", errno: -outcome) }
    }

    /// Takes the class of the directory away.
    package static func remove(ofDirectoryAt path: String) throws(AccessFailure) {
        let outcome = unsafe lk_attribute_remove(path, attribute)
        guard outcome == 0 || outcome == -EOPNOTSUPP else { throw .system(call: "removexattr", errno: -outcome) }
    }

    private static let valueByteLimit = 64
}
