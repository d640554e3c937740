import Glibc
import LatchkeyPlainText

/// Files and directories that only root can change.
enum SystemFiles {
    private static let roots = ["/usr", "/lib", "/lib32", "/lib64", "/libx32", "/opt"]

    /// Returns true if all files that a program makes the loader open are out of its user's reach.
    ///
    /// The loaders of glibc and musl drop `$ORIGIN` from the run path of a setgid program, unless it leads to a
    /// directory of the system; SwiftPM gives it to every program.
    static func areSafe(runPaths: [String], loadPaths: [String]) -> Bool {
        loadPaths.allSatisfy(isSafe) && runPaths.allSatisfy { $0 == "$ORIGIN" || isSafe($0) }
    }

    /// Returns true for an absolute path below a directory of the system, of which only root can change or make any
    /// part.
    static func isSafe(_ path: String) -> Bool {
        guard PathText.isAbsolute(path), !path.utf8.contains(UInt8(ascii: "$")) else { return false }
        let parts = PathText.parts(of: path)
        guard !parts.contains(".."), let first = parts.first, roots.contains("/" + first) else { return false }
        return isOutOfReach(parts)
    }

    /// Returns true if each existing part belongs to root, and missing parts cannot be made.
    private static func isOutOfReach(_ parts: [String]) -> Bool {
        var place = ""
        for part in [""] + parts {
            place += place == "/" ? part : "/" + part
            var status = stat()
            guard unsafe lstat(place, &status) == 0 else { return errno == ENOENT }
            guard status.st_uid == 0 else { return false }
            if status.st_mode & S_IFMT == S_IFLNK {
                // The target of a link counts, and the directories on the way to it.
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
