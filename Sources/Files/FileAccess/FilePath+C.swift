import Glibc

/// Paths from the root, and what they lead to.
package enum FilePath {
    /// Puts a file in the place of another, and makes the change of names durable.
    package static func move(_ temporary: String, inPlaceOf target: String) throws(AccessFailure) {
        let directory = unsafe Glibc.open(folder(of: target), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        defer { if directory >= 0 { Glibc.close(directory) } }
        guard unsafe rename(temporary, target) == 0 else { throw .system(call: "rename", errno: errno) }
        // A directory that may not be read, or of a file system that synchronizes none: the file is there all the same.
        guard directory >= 0, fsync(directory) != 0, errno != EINVAL else { return }
        throw .system(call: "fsync", errno: errno)
    }

    /// The path of a file without links, as the system resolves it; the file itself need not be there.
    package static func real(_ path: String) throws(AccessFailure) -> String {
        if let real = resolved(path) { return real }
        guard errno == ENOENT, let folder = resolved(folder(of: path)), let name = FileName.parts(of: path).last
        else { throw .system(call: "realpath", errno: errno) }
        return (folder == "/" ? "" : folder) + "/" + name.text
    }

    /// The path of an entry without links; nil, with `errno`, if the system does not resolve it.
    package static func resolved(_ path: String) -> String? {
        let real = unsafe realpath(path, nil)
        defer { unsafe free(real) }
        return unsafe real.map { unsafe String(cString: $0) }
    }

    /// The path of an entry of a folder.
    package static func entry(_ name: String, of folder: String) -> String {
        (folder.utf8.last == UInt8(ascii: "/") ? folder : folder + "/") + name
    }

    /// The folder of a path from the root, by its text.
    package static func folder(of path: String) -> String {
        "/" + FileName.parts(of: path).dropLast().map(\.text).joined(separator: "/")
    }
}
