package import Glibc

/// A node with its values for `stat`.
package struct FileAttributes: Sendable {
    package let node: VolumeNode
    package let status: stat
}

/// Changes of a node by a program; nil stays as it is.
package struct AttributeChanges: Sendable {
    package var permissions: UInt32?
    package var owner: UInt32?
    package var group: UInt32?
    package var size: UInt64?
    package var times: FileTimes?

    package init() {}
}

/// The program that calls: its new files are its user's. Only a volume that root serves knows other users.
package struct VolumeCaller: Sendable {
    package let user: UInt32
    package let group: UInt32
    /// The process; 0 if the kernel does not name it here.
    package let process: Int32

    package init(user: UInt32, group: UInt32, process: Int32 = 0) {
        self.user = user
        self.group = group
        self.process = process
    }
}
