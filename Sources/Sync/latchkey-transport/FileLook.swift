import Glibc

/// Notices that a file was replaced, for instance by a certificate that is valid longer, or by the addresses of another network: this process
/// may not read others than those of its start.
struct FileLook: Sendable {
    private struct Mark: Equatable, Sendable {
        let device: UInt64
        let number: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int

        init?(of path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(status.st_dev)
            number = UInt64(status.st_ino)
            size = Int64(status.st_size)
            seconds = status.st_mtim.tv_sec
            nanoseconds = status.st_mtim.tv_nsec
        }
    }

    private let marks: [String: Mark]

    /// - Parameter paths: of files, which are read after this.
    init(_ paths: [String]) {
        marks = paths.reduce(into: [:]) { $0[$1] = Mark(of: $1) }
    }

    /// True if a file is another one than at the start. One that is missing may be about to be replaced.
    var isOver: Bool {
        marks.contains { path, mark in Mark(of: path).map { $0 != mark } ?? false }
    }
}
