import Glibc

/// The folder that this process may write to. Landlock binds the right to the folder itself, and not to its path.
struct StoreFolder: Sendable {
    let path: String
    private let device: UInt64
    private let number: UInt64

    /// Returns nil if there is no such folder.
    init?(at path: String) {
        guard let status = Self.status(of: path) else { return nil }
        self.path = path
        device = UInt64(status.st_dev)
        number = UInt64(status.st_ino)
    }

    /// True if another folder has the path now: this process cannot use it. A folder that is missing may come back.
    var isReplaced: Bool {
        guard let status = Self.status(of: path) else { return false }
        return UInt64(status.st_dev) != device || UInt64(status.st_ino) != number
    }

    private static func status(of path: String) -> stat? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
        return status
    }
}
