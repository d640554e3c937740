import Glibc

/// The file of the program that this process runs, held open without a right to read it: after that no file system and no
/// `/proc` is needed to see what became of it.
package final class OwnProgramFile: Sendable {
    /// Glibc's `O_PATH`, which Swift does not import.
    private static let pathOnly: Int32 = 0o10_000_000

    private let descriptor: Int32

    package init() {
        descriptor = unsafe open("/proc/self/exe", Self.pathOnly | O_CLOEXEC)
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// True if the file has no name any more: an upgrade has put another one in its place, or it was removed.
    package var isReplaced: Bool {
        var status = stat()
        guard descriptor >= 0, unsafe fstat(descriptor, &status) == 0 else { return false }
        return status.st_nlink == 0
    }
}
