import Glibc

/// Recognises two paths that lead to one file, by links, by mounts or by another spelling.
enum SameFile {
    /// False also where one of the two cannot be seen.
    static func isNamed(by first: String, and second: String) -> Bool {
        var (one, other) = (stat(), stat())
        guard unsafe stat(first, &one) == 0, unsafe stat(second, &other) == 0 else { return false }
        return one.isSameFile(as: other)
    }
}

extension stat {
    func isSameFile(as other: stat) -> Bool { st_dev == other.st_dev && st_ino == other.st_ino }
}
