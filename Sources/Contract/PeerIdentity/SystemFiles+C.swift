import Glibc
import LatchkeyPlainText

/// Files and directories that only root can change.
enum SystemFiles {
    private static let roots = ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt"]

    /// Whether everything that a program makes the loader open lies out of its user's reach.
    ///
    /// The loaders of glibc and musl leave `$ORIGIN` out of the run path of a setgid program, unless it leads to a
    /// directory of the system; SwiftPM gives it to every program.
    static func areSafe(runPaths: [String], loadPaths: [String]) -> Bool {
        loadPaths.allSatisfy(isSafe) && runPaths.allSatisfy { $0 == "$ORIGIN" || isSafe($0) }
    }

    /// An absolute path below a directory of the system of which no part can be changed or made by others than root.
    static func isSafe(_ path: String) -> Bool {
        guard PathText.isAbsolute(path), !path.utf8.contains(UInt8(ascii: "$")) else { return false }
        let parts = PathText.parts(of: path)
        guard !parts.contains(".."), let first = parts.first, roots.contains("/" + first) else { return false }
        return isOutOfReach(parts)
    }

    /// Each part that exists belongs to root, and a part that is missing cannot be made.
    private static func isOutOfReach(_ parts: [String]) -> Bool {
        var place = ""
        for part in [""] + parts {
            place += place == "/" ? part : "/" + part
            var status = stat()
            guard unsafe lstat(place, &status) == 0 else { return errno == ENOENT }
            guard status.st_uid == 0 else { return false }
            if status.st_mode & S_IFMT == S_IFLNK {
                // Where it leads counts, and what it is made of as well.
                guard let target = unsafe realpath(place, nil) else { return false }
                defer { unsafe free(target) }
                place = unsafe String(cString: target)
                guard isOutOfReach(PathText.parts(of: place)) else { return false }
            } else if status.st_mode & (S_IWGRP | S_IWOTH) != 0 {
                guard status.st_gid == 0, status.st_mode & S_IWOTH == 0 else { return false }
            }
        }
        return true
    }
}
