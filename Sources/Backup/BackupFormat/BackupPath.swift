/// The paths in a backup, which may come from anywhere.
package enum BackupPath {
    package static let byteLimit = 4096
    private static let nameByteLimit = 255

    /// True if a path leads to something within its domain, by every reading of it: it is not absolute, and no part of it
    /// is empty, `.` or `..`, or could not be a name.
    package static func isWithinDomain(_ path: String) -> Bool {
        guard path.utf8.count <= byteLimit, !path.utf8.contains(0) else { return false }
        guard !path.isEmpty else { return true }
        return path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy { part in
            (1...nameByteLimit).contains(part.count) && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
        }
    }

    /// True if a domain can be the name of a directory.
    package static func isDomain(_ domain: String) -> Bool {
        (1...nameByteLimit).contains(domain.utf8.count) && domain != "." && domain != ".."
            && domain.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }
}
