import Glibc

/// Tells of a path whether a message may still name it.
package enum MissingFile {
    /// True if no file is at a path. One that this process may not look for, below another user's directory, is
    /// taken to be there.
    @Sendable package static func isGone(_ path: String) -> Bool {
        var information = stat()
        guard unsafe stat(path, &information) != 0 else { return false }
        return errno == ENOENT || errno == ENOTDIR
    }
}
