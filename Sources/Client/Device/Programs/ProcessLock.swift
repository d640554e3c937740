import Glibc

/// A file that one process at a time holds; the kernel lets go of it when the process ends, however it ends.
package final class ProcessLock: Sendable {
    private let descriptor: Int32

    /// The reason why the lock was not taken.
    package enum Failure: Error, Sendable {
        case held
        case system(errno: Int32)
    }

    package init(path: String) throws(Failure) {
        descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw .system(errno: errno) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            let number = errno
            close(descriptor)
            throw number == EWOULDBLOCK ? .held : .system(errno: number)
        }
    }

    deinit {
        close(descriptor)
    }
}
