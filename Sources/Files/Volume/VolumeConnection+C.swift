import Glibc
import LatchkeyFileAccess

@_implementationOnly import CLatchkeyShims

/// The kernel's end of a mounted volume, by which a volume whose process is dead is ended without that process.
///
/// The programs that use the folder then get errors, where they would wait for an answer that never comes.
package struct VolumeConnection: Sendable {
    /// The number of the mounted file system, under which the kernel lists the connection.
    package let number: UInt64
    /// The connection's own switch, opened early: a number that is used again later does not lead to another volume.
    private let control: OwnedDescriptor?

    /// The directory in which the kernel lists connections. Each belongs to the user who mounted it.
    package static let directory = "/sys/fs/fuse/connections"

    /// Glibc's `O_PATH`, which Swift does not import.
    private static let pathOnly: Int32 = 0o10_000_000

    package init(number: UInt64) {
        self.number = number
        let descriptor = unsafe lk_fuse_switch_open(Self.directory, number)
        control = descriptor < 0 ? nil : OwnedDescriptor(owning: descriptor)
    }

    /// The number of the file system that is mounted at a path; asks the kernel alone. Nil if the path is not there.
    package static func number(ofFolder path: String) -> UInt64? {
        var number: UInt64 = 0
        return unsafe lk_fuse_connection(path, &number) == 0 ? number : nil
    }

    /// Ends the connection. Where the kernel's list is neither mounted nor may be, the root of a user namespace can do
    /// so by the folder.
    ///
    /// - Parameter folder: where the volume is mounted.
    /// - Returns: false if this process cannot end it.
    package func end(mountedAt folder: String) -> Bool {
        if let control {
            return withExtendedLifetime(control) { unsafe write(control.number, "1", 1) == 1 }
        }
        guard geteuid() == 0, Self.number(ofFolder: folder) == number else { return false }
        // The call ends the connection, and then unmounts a folder that is not in use. A reference keeps it in use:
        // programs get errors from a volume that is dead, and write nothing in clear into the directory below it.
        let reference = unsafe Glibc.open(folder, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard reference >= 0 else { return false }
        defer { close(reference) }
        return unsafe umount2(folder, Int32(MNT_FORCE)) == 0 || errno == EBUSY
    }

    /// True if the connections of this process's user can be ended.
    package static var canBeEnded: Bool {
        if geteuid() == 0 { return true }
        return unsafe lk_fuse_connections_are_listed(directory) != 0
    }
}
