import Foundation
import LatchkeyFileSystemTesting
import Testing

/// A new directory among the temporary files.
struct TemporaryDirectory {
    let path: Path

    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "latchkey-fs-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(
            at: url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        path = Path(url.path)
    }

    func remove() {
        try? TestDirectory(path).empty()
        try? FileManager.default.removeItem(atPath: path.text)
    }
}

/// The programs that were built beside the tests.
enum OwnPrograms {
    /// The path of `file-system-check`.
    static func check() throws -> String {
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let path = (own as NSString).deletingLastPathComponent + "/file-system-check"
        try #require(FileManager.default.isExecutableFile(atPath: path), "\(path) was not built")
        return path
    }
}
