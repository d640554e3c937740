import CLatchkeyFileSystemCalls
import Glibc

/// A system call that the file system refused.
package struct CallFailure: Error, Sendable, CustomStringConvertible {
    package let call: String
    package let number: Int32

    package var description: String { "\(call): \(ErrorName.of(number))" }
}

/// The names of error numbers.
package enum ErrorName {
    package static func of(_ number: Int32) -> String { String(cString: lkfs_error_name(number)) }
}

/// The result of a call of the C module, which is a negative error number if the call failed.
@discardableResult
func checked(_ result: Int, _ call: @autoclosure () -> String) throws(CallFailure) -> Int {
    guard result >= 0 else { throw CallFailure(call: call(), number: Int32(-result)) }
    return result
}

extension Path {
    /// Passes the path to `body` as the C library wants it.
    func withC<Value>(_ body: (UnsafePointer<CChar>) -> Value) -> Value {
        precondition(!bytes.contains(0), "a path has no zero byte")
        return (bytes.map { CChar(bitPattern: $0) } + [0]).withUnsafeBufferPointer { body($0.baseAddress!) }
    }
}

/// The status of a file: its owner, mode, size and times.
package struct Status: Sendable, Equatable {
    /// The kinds of files.
    package enum Kind: Sendable, Equatable {
        case regular, directory, link, fifo, socket, other
    }

    package let kind: Kind
    /// The permissions, with set-user-ID, set-group-ID and the sticky bit.
    package let mode: UInt32
    package let inode: UInt64
    package let links: UInt64
    package let owner: UInt32
    package let group: UInt32
    package let size: Int64
    /// Of 512 bytes each.
    package let blocks: Int64
    /// Nanoseconds since 1970, like the other times.
    package let accessed: Int64
    package let modified: Int64
    package let changed: Int64

    init(_ status: lkfs_status) {
        kind =
            switch status.mode & UInt32(S_IFMT) {
            case UInt32(S_IFREG): .regular
            case UInt32(S_IFDIR): .directory
            case UInt32(S_IFLNK): .link
            case UInt32(S_IFIFO): .fifo
            case UInt32(S_IFSOCK): .socket
            default: .other
            }
        mode = status.mode & 0o7777
        inode = status.inode
        links = status.links
        owner = status.owner
        group = status.group
        size = status.size
        blocks = status.blocks
        accessed = status.accessed
        modified = status.modified
        changed = status.changed
    }
}
