import Glibc
import LatchkeyDevice
import LatchkeyPlainText

/// Owner and mode of a file, and whether others than its owner can change it.
package struct FileFacts: Sendable {
    package let owner: UInt32
    package let group: UInt32
    package let mode: UInt32
    package let isDirectory: Bool

    /// Nil if there is no such file, or it cannot be seen. Links are not followed.
    package init?(_ path: String) {
        var information = stat()
        guard unsafe lstat(path, &information) == 0 else { return nil }
        owner = information.st_uid
        group = information.st_gid
        mode = UInt32(information.st_mode & 0o7777)
        isDirectory = information.st_mode & S_IFMT == S_IFDIR
    }

    package var text: String {
        "owner \(Account.userName(owner) ?? String(owner)), mode \(String(mode, radix: 8))"
    }

    /// The first of a path and the directories above it that others than its owner or root can change; nil if none.
    package static func changeable(_ path: String, by owner: UInt32) -> String? {
        var path = path
        while !path.isEmpty, path != "/" {
            if let facts = FileFacts(path) {
                // In a sticky directory no user can replace the files of another.
                let isOpen = facts.mode & 0o022 != 0 && !(facts.isDirectory && facts.mode & 0o1000 != 0)
                if isOpen || (facts.owner != owner && facts.owner != 0) { return path }
            }
            guard let parent = PathText.parent(of: path) else { return nil }
            path = parent
        }
        return nil
    }
}
