import Glibc

/// Paths of files in the arguments.
enum FileArgument {
    /// A path from the root; links and `..` are left to the system.
    static func absolute(_ path: String) -> String {
        guard path.utf8.first != UInt8(ascii: "/"), let directory = unsafe getcwd(nil, 0) else { return path }
        defer { unsafe free(directory) }
        return unsafe String(cString: directory) + "/" + path
    }
}
