import Glibc
import LatchkeyFileAccess

/// The permissions of files, as programs set them and as they are stored.
///
/// The process that serves a volume has to open what its owner may not: it reads the header of a file of mode 0200, and
/// changes the class of one of mode 0444. So the stored file always lets its owner read and write, a directory also
/// search. Permissions that are less stand in an extended attribute; the sticky bit, which means nothing for a file, says
/// so.
enum Permissions {
    static let attribute = "user.latchkey.permissions"
    private static let all: UInt32 = 0o7777
    private static let fileNeeds: UInt32 = 0o600
    private static let directoryNeeds: UInt32 = 0o700
    private static let mark = UInt32(S_ISVTX)

    /// The stored permissions for those that a program asked for, and those to be kept in the attribute.
    static func stored(_ permissions: UInt32, _ kind: VolumeNode.Kind) -> (stored: UInt32, kept: UInt32?) {
        let permissions = permissions & all
        switch kind {
        case .file:
            guard permissions & fileNeeds != fileNeeds || permissions & mark != 0 else { return (permissions, nil) }
            return (permissions | fileNeeds | mark, permissions)
        case .directory:
            guard permissions & directoryNeeds != directoryNeeds else { return (permissions, nil) }
            return (permissions | directoryNeeds, permissions)
        case .link, .other: return (permissions, nil)
        }
    }

    /// The permissions in the attribute of a stored file or directory; nil if the stored ones count.
    static func kept(_ mode: UInt32, _ kind: VolumeNode.Kind, _ descriptor: OwnedDescriptor) throws(VolumeFailure)
        -> UInt32?
    {
        guard kind == .directory || (kind == .file && mode & mark != 0) else { return nil }
        guard let value = try descriptor.attribute(attribute), value.count == 2 else { return nil }
        return (UInt32(value[0]) << 8 | UInt32(value[1])) & all
    }

    static func value(_ permissions: UInt32) -> [UInt8] {
        [UInt8(permissions >> 8), UInt8(permissions & 0xFF)]
    }
}
