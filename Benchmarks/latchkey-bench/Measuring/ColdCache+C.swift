import Glibc

/// The kernel's memory of files, emptied so that a program has to ask their server.
enum ColdCache {
    private static let control = "/proc/sys/vm/drop_caches"

    /// True if names and attributes can be forgotten, too, which only root can ask for.
    static let forgetsNames = access(control, W_OK) == 0

    /// For the notes of a row.
    static var note: String {
        forgetsNames
            ? "cold: everything that the kernel caches was dropped before each run (\(control))"
            : "cold: the content was dropped before each run (POSIX_FADV_DONTNEED); root could drop names, too"
    }

    /// Lets the kernel forget the content of a file; names and attributes as well, if this is root.
    static func empty(for path: String) throws {
        guard forgetsNames else { return try forgetContent(of: path) }
        let file = open(control, O_WRONLY | O_CLOEXEC)
        defer { close(file) }
        guard write(file, "3\n", 2) == 2 else { throw Failure("cannot write to \(control)") }
    }

    private static func forgetContent(of path: String) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        guard file >= 0, posix_fadvise(file, 0, 0, Int32(POSIX_FADV_DONTNEED)) == 0 else {
            throw Failure("the kernel does not forget the content of \(path)")
        }
    }
}
