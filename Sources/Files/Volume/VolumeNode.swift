import Glibc
package import LatchkeyFileAccess
package import LatchkeyKeybag
import Synchronization

/// A file, directory or link of a volume that the kernel knows, or that is open.
package final class VolumeNode: Sendable {
    package enum Kind: Sendable {
        case file, directory, link, other

        init(mode: UInt32) {
            switch mode & S_IFMT {
            case S_IFREG: self = .file
            case S_IFDIR: self = .directory
            case S_IFLNK: self = .link
            default: self = .other
            }
        }
    }

    /// One of the names of a node.
    struct Place: Sendable, Equatable {
        let parent: VolumeNode
        let name: StoredName

        /// By the stored directory: the kernel may forget the node of a directory and look it up again, while a file that
        /// it knows under another name has a place in the first node.
        static func == (one: Place, other: Place) -> Bool {
            one.parent.identity == other.parent.identity && one.name.entry == other.name.entry
        }
    }

    /// A directory, as long as its node lives.
    struct OpenDirectory: Sendable {
        let backing: BackingDirectory
        let identifier: DirectoryIdentifier
    }

    struct State: Sendable {
        /// The names that are known. Empty for the root, and for what was removed.
        var places: [Place] = []
        /// The times that the kernel was told of the node and has not forgotten it.
        var lookups: UInt64 = 0
        /// The permissions, if the stored file has others; see `Permissions`.
        var permissions: UInt32?
        /// Of a file: the length. Of a file that is open, the present one.
        var size: UInt64 = 0
        /// Of a file: its class. Of a directory: that of new files in it, if it has one.
        var protection: FileProtection?
        /// Of a directory: what is made in it has its group.
        var handsGroupOn = false
        /// Of a directory: rises with each entry that comes or goes.
        var changeCount: UInt64 = 0
        /// The time of the last change of an open file's content: what was written reaches the stored file later.
        var changed: timespec?
    }

    /// The content of a file while it is open, and a while after that.
    struct Content: Sendable {
        let file: OpenFile
        let descriptor: OwnedDescriptor
        let isWritable: Bool
    }

    struct ContentState: Sendable {
        var content: Content?
        /// The number of handles.
        var handles = 0
    }

    /// Unique as long as the volume is mounted.
    package let number: UInt64
    let identity: FileIdentity
    package let kind: Kind
    let directory: OpenDirectory?
    /// Values that every call reads. Never held while another lock is taken.
    let state: Mutex<State>
    /// One operation on the content at a time. `state` may be taken inside.
    let content = Mutex(ContentState())

    init(number: UInt64, _ identity: FileIdentity, _ kind: Kind, directory: OpenDirectory? = nil, _ state: State) {
        self.number = number
        self.identity = identity
        self.kind = kind
        self.directory = directory
        self.state = Mutex(state)
    }

    /// An entry of the directory came or went.
    func hasChanged() {
        state.withLock { $0.changeCount += 1 }
    }

    /// The class of a file, as far as it is known.
    package var protection: FileProtection? { state.withLock { $0.protection } }
}
