import Foundation
import Glibc
import LatchkeyFileAccess

/// A volume that is mounted, from the kernel's table of mounts.
package struct MountedVolume: Sendable, Equatable {
    /// The directory that stores the volume.
    package let storage: String
    package let mountPoint: String
    package let isReadOnly: Bool
    /// The number of the file system, and of its connection with the process that serves it.
    package let connection: UInt64

    /// All volumes that this process sees.
    package static func all() -> [MountedVolume] {
        // Not by Foundation, which takes a piece of less than a page for the last one.
        BoundedFile.text("/proc/self/mountinfo", limit: tableByteLimit).map { parse($0.utf8) } ?? []
    }

    /// For 100,000 mounts, which is what the kernel allows.
    private static let tableByteLimit = 32 << 20

    /// Reads the table's lines: number, parent, device, root, mount point, options, optional fields, `-`, type, source,
    /// options of the file system.
    package static func parse(_ table: some Collection<UInt8>) -> [MountedVolume] {
        table.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false).map {
                String(decoding: $0, as: UTF8.self)
            }
            guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 2,
                fields[dash + 1] == "fuse.latchkey"
            else { return nil }
            return MountedVolume(
                storage: unescaped(fields[dash + 2]), mountPoint: unescaped(fields[4]),
                isReadOnly: fields[5].split(separator: ",").contains("ro"), connection: connection(fields[2]))
        }
    }

    /// The number of a device, "major:minor", as the kernel counts it.
    private static func connection(_ device: String) -> UInt64 {
        let numbers = device.split(separator: ":").map { UInt64($0) ?? 0 }
        return numbers.count == 2 ? numbers[0] << 20 | numbers[1] : 0
    }

    /// Spaces, tabs, line breaks and backslashes stand as three octal digits behind a backslash.
    private static func unescaped(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\\"), rest.count >= 3,
                let value = UInt8(String(decoding: rest.prefix(3), as: UTF8.self), radix: 8)
            {
                bytes.append(value)
                rest = rest.dropFirst(3)
            } else {
                bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The volume that is mounted at a path, or stored in it.
    package static func find(_ path: String) -> MountedVolume? {
        let path = absolute(path)
        let volumes = all()
        // The last one that was mounted covers the others.
        return volumes.last { $0.mountPoint == path } ?? volumes.last { $0.storage == path }
    }

    /// True if a process that has ended left a folder mounted, without a connection. The kernel still knows the attributes of
    /// such a folder, but cannot open it.
    static func isLeft(_ path: String) -> Bool {
        let folder = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder < 0 else {
            close(folder)
            return false
        }
        return errno == ENOTCONN
    }

    /// The real path, which a mount that has crashed does not let the system resolve whole.
    package static func absolute(_ path: String) -> String {
        if let found = FilePath.resolved(path) { return found }
        let url = URL(fileURLWithPath: path)
        let parent = url.deletingLastPathComponent().path
        let folder = FilePath.resolved(parent) ?? parent
        return (folder == "/" ? "" : folder) + "/" + url.lastPathComponent
    }
}
