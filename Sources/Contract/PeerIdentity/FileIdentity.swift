/// The identity of a file and its content: every change of the file changes this value.
package struct FileIdentity: Sendable, Hashable {
    package let device: UInt64
    package let inode: UInt64
    package let byteCount: Int64
    /// Nanoseconds since 1970.
    package let modified: Int64
    /// Nanoseconds since 1970; programs cannot set this one back.
    package let changed: Int64
    package let mode: UInt32
    package let ownerID: UInt32
    package let groupID: UInt32

    package init(
        device: UInt64, inode: UInt64, byteCount: Int64, modified: Int64, changed: Int64, mode: UInt32,
        ownerID: UInt32, groupID: UInt32
    ) {
        self.device = device
        self.inode = inode
        self.byteCount = byteCount
        self.modified = modified
        self.changed = changed
        self.mode = mode
        self.ownerID = ownerID
        self.groupID = groupID
    }
}
