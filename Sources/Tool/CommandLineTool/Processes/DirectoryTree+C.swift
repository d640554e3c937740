import CLatchkeyShims
import Glibc
import LatchkeyPrompt
package import LatchkeySecretMemory

/// The files below a directory.
package enum DirectoryTree {
    /// The paths of all regular files, links not followed.
    /// - Parameter counts: false for a name that is left out, and with it what is below.
    package static func files(
        below directory: String, counting counts: (String) -> Bool = { _ in true }
    ) throws(UnreadableDirectory) -> [String] {
        var files: [String] = []
        for name in try names(in: directory) where counts(name) {
            let path = directory + "/" + name
            switch kind(of: path) {
            case S_IFDIR: files += try Self.files(below: path, counting: counts)
            case S_IFREG: files.append(path)
            default: break
            }
        }
        return files
    }

    /// Removes the directory with everything in it.
    package static func remove(_ directory: String) {
        unsafe lk_directory_remove(directory)
    }

    /// Searches a file for the needles and returns the indexes of those found. Nil if it cannot be read.
    package static func file(_ path: String, holds needles: [SecretBox]) -> Set<Int>? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let contents = try? SecretReader.everything(from: descriptor, limit: 1 << 30) else { return nil }
        return unsafe contents.withBytes { haystack in
            let found = needles.indices.filter { index in
                unsafe needles[index].withBytes {
                    unsafe lk_find_bytes(haystack.baseAddress, haystack.count, $0.baseAddress, $0.count) >= 0
                }
            }
            return Set(found)
        }
    }

    /// The names of a directory's entries, in order.
    package static func names(in directory: String) throws(UnreadableDirectory) -> [String] {
        guard let stream = unsafe opendir(directory) else { throw UnreadableDirectory(path: directory, errno: errno) }
        defer { unsafe closedir(stream) }
        var names: [String] = []
        while true {
            // Null is the end and a failure.
            errno = 0
            guard let entry = unsafe readdir(stream) else { break }
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        let number = errno
        guard number == 0 else { throw UnreadableDirectory(path: directory, errno: number) }
        return names.sorted()
    }

    private static func kind(of path: String) -> mode_t? {
        var information = stat()
        return unsafe lstat(path, &information) == 0 ? information.st_mode & S_IFMT : nil
    }
}

/// A directory whose entries cannot be read.
package struct UnreadableDirectory: Error, Sendable, Equatable {
    package let path: String
    package let errno: Int32
}
