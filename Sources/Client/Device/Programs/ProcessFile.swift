import Glibc

/// The file that holds a daemon's process identifier, for scripts; who serves a device is decided by its lock.
package struct ProcessFile: Sendable {
    private let path: String

    package init(path: String) {
        self.path = path
    }

    /// Writes this process's identifier. Without the file everything works but `latchkey stop` on a hung daemon.
    package func write() {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        let text = Array("\(getpid())\n".utf8)
        _ = unsafe Glibc.write(descriptor, text, text.count)
        close(descriptor)
    }

    package func remove() {
        unsafe unlink(path)
    }
}
