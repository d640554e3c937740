import Glibc
import LatchkeyPlainText

/// Directories that only their owner can enter.
package enum PrivateFolder {
    /// Makes the directory, and those above it that are missing, with mode 0700 from its first moment on: another program
    /// that makes it at the same time must not find one that others can enter.
    ///
    /// - Returns: the number of the system's error; nil if the directory is there, or whatever was there before.
    package static func make(_ path: String) -> Int32? {
        if unsafe mkdir(path, 0o700) == 0 || errno == EEXIST { return nil }
        let number = errno
        let parent = PathText.directory(of: path)
        guard number == ENOENT, parent != path else { return number }
        if let failure = make(parent) { return failure }
        return unsafe mkdir(path, 0o700) == 0 || errno == EEXIST ? nil : errno
    }
}
