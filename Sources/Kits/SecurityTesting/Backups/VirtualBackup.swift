public import Foundation

/// A backup of a virtual device, in the folder form of Finder and iTunes.
///
/// The folder is removed with this object, at the latest when the process ends that made it; a forked child leaves it. Files of
/// a backup without a password lie in it in clear.
public final class VirtualBackup: Sendable {
    /// The folder of the backup. Tools that read backups of an iPhone open it.
    public let directory: URL
    /// The password; nil for a backup without one, which brings items back to its own device alone.
    public let password: String?
    /// The number of items in it.
    public let itemCount: Int
    /// The number of items that no backup holds, by reason: `passcodeSet`, `enclaveKey`, `accessControl` and others.
    public let leftOutItems: [String: Int]
    /// The number of files in it, from ``VirtualDevice/files``.
    public let fileCount: Int
    /// The files and directories that are not in it, by name, each with the reason: `special` for a pipe or a socket,
    /// `otherFileSystem`, `nameIsNotText` and others, or what the system says.
    public let leftOutFiles: [String: String]
    private let temporary: TemporaryDirectory

    public var isEncrypted: Bool { password != nil }

    init(
        _ directory: URL, in temporary: TemporaryDirectory, password: String?, itemCount: Int,
        leftOutItems: [String: Int], fileCount: Int, leftOutFiles: [String: String]
    ) {
        self.directory = directory
        self.temporary = temporary
        self.password = password
        self.itemCount = itemCount
        self.leftOutItems = leftOutItems
        self.fileCount = fileCount
        self.leftOutFiles = leftOutFiles
    }

    deinit { temporary.remove() }
}

/// The result of ``VirtualDevice/restore(_:keepingItems:)``.
public struct VirtualRestore: Sendable, Hashable {
    /// Items that are on the device now because of the restore.
    public let restoredItems: Int
    /// Items that were there already, and stay as they are.
    public let keptItems: Int
    /// Items that belong to the device that was backed up, and come back there alone.
    public let itemsOfOtherDevice: Int
    /// Items that cannot be read.
    public let damagedItems: Int
    public let restoredFiles: Int
    /// Files that are here now as the backup has them, and were before.
    public let identicalFiles: Int
    /// The files of the backup that were not restored, by name, each with the reason.
    public let leftOutFiles: [String: String]
}
