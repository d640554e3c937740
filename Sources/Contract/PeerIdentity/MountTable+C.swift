import Glibc

/// The mounts of this process's own namespace.
enum MountTable {
    /// Returns true if an open file was reached through a mount that this process sees.
    ///
    /// Only then the path that the kernel reports for it is a path of this process: in another mount namespace, or on a
    /// detached mount, a file can have any path at all. False if the kernel does not say.
    static func isMountedHere(_ descriptor: Int32) -> Bool {
        guard let description = ProcFile.contents("/proc/self/fdinfo/\(descriptor)"),
            let number = mountNumber(fileDescription: description),
            let mounts = ProcFile.contents("/proc/self/mountinfo")
        else { return false }
        return isListed(number, mounts: mounts)
    }

    /// The type of the file system that an open file was reached through; nil for a mount that this process does not see.
    static func fileSystemType(of descriptor: Int32) -> String? {
        guard let description = ProcFile.contents("/proc/self/fdinfo/\(descriptor)"),
            let number = mountNumber(fileDescription: description),
            let mounts = ProcFile.contents("/proc/self/mountinfo")
        else { return nil }
        return fileSystemType(number, mounts: mounts)
    }

    /// The type in the line of `/proc/PID/mountinfo` that begins with the number: behind the dash that ends its optional
    /// fields.
    static func fileSystemType(_ number: UInt64, mounts text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.first.flatMap({ UInt64($0) }) == number, let dash = fields.dropFirst(6).firstIndex(of: "-"),
                fields.count > dash + 1
            else { continue }
            return String(fields[dash + 1])
        }
        return nil
    }

    /// Parses the mount's number from a text of `/proc/PID/fdinfo`.
    static func mountNumber(fileDescription text: String) -> UInt64? {
        for line in text.split(separator: "\n") where line.hasPrefix("mnt_id:") {
            return UInt64(line.dropFirst("mnt_id:".count).filter { !$0.isWhitespace })
        }
        return nil
    }

    /// Returns true if a line of `/proc/PID/mountinfo` begins with the number.
    static func isListed(_ number: UInt64, mounts text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            line.split(separator: " ", maxSplits: 1).first.flatMap { UInt64($0) } == number
        }
    }
}
