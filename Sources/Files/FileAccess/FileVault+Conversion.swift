import Glibc
import LatchkeyFileFormat
package import LatchkeyKeybag

/// Files in clear that become protected ones, and the other way round: in a new file that takes the place of the former.
///
/// The content is copied in pieces and is durable before the new file takes the place; a crash leaves one of the two, whole.
/// Owner, permissions, times and extended attributes stay; other hard links keep the former file.
extension FileVault {
    /// Makes a protected file of a file in clear.
    ///
    /// A program that wants to write meanwhile waits until this ends, which it then does at once, without a change.
    ///
    /// - Parameter proceed: is told the number of bytes that were copied since the last time, and returns false to end.
    package func protect(
        _ place: FilePlace, _ protection: FileProtection, proceed: (Int) -> Bool = { _ in true }
    ) throws(ConversionFailure) {
        let (former, status) = try Self.former(place)
        if let obstacle = TreeFile.obstacle(former, status) { throw .obstacle(obstacle) }
        let lease = try FileLease(former)
        guard try converting({ () throws(AccessFailure) in try !former.isProtected }) else { throw .changed }
        try protect(former, status, lease, at: place, protection, proceed: proceed)
    }

    /// - Parameter former: a file in clear, locked.
    func protect(
        _ former: OwnedDescriptor, _ status: stat, _ lease: FileLease?, at place: FilePlace,
        _ protection: FileProtection, proceed: (Int) -> Bool
    ) throws(ConversionFailure) {
        try Self.requireSpace(UInt64(max(0, min(Int64(status.st_blocks) * 512, Int64(status.st_size)))), at: place)
        let replacement = try FileReplacement(place, former: former, status, lease)
        let file = try converting { () throws(AccessFailure) in
            try make(singleKey(protection), in: replacement.descriptor)
        }
        try unsafe former.pieces { (offset, piece) throws(ConversionFailure) in
            try converting { () throws(AccessFailure) in try unsafe file.write(at: offset, from: piece) }
            try replacement.requireUnchanged()
            guard proceed(piece.count) else { throw .cancelled }
        }
        try converting { () throws(AccessFailure) in try file.truncate(to: UInt64(max(0, status.st_size))) }
        try replacement.takeOverRights()
        try converting { () throws(AccessFailure) in try file.synchronize() }
        try replacement.takePlace()
    }

    /// Stores the content of a protected file in clear.
    package func unprotect(_ place: FilePlace, proceed: (Int) -> Bool = { _ in true }) throws(ConversionFailure) {
        let (former, status) = try Self.former(place)
        if let obstacle = TreeFile.obstacle(former, status) { throw .obstacle(obstacle) }
        let lease = try FileLease(former)
        let file = try converting { () throws(AccessFailure) in try OpenFile(former, .readOnly, in: self) }
        let size = try converting { () throws(AccessFailure) in try file.size() }
        try Self.requireSpace(min(size, UInt64(max(0, status.st_blocks)) * 512), at: place)
        let replacement = try FileReplacement(place, former: former, status, lease)
        let buffer = PieceBuffer()
        var offset: UInt64 = 0
        while offset < size {
            let count = try converting { () throws(AccessFailure) in
                let count = try unsafe file.read(at: offset, into: buffer.bytes)
                try unsafe replacement.descriptor.writeSparsely(at: offset, from: buffer.prefix(count))
                return count
            }
            guard count > 0 else { throw .changed }
            try replacement.requireUnchanged()
            guard proceed(count) else { throw .cancelled }
            offset += UInt64(count)
        }
        try converting { () throws(AccessFailure) in try replacement.descriptor.truncate(to: size) }
        try replacement.takeOverRights()
        try converting { () throws(AccessFailure) in try replacement.descriptor.synchronize() }
        try replacement.takePlace()
    }

    /// The file that is to be replaced, open for reading and locked against others of this library that would write.
    private static func former(_ place: FilePlace) throws(ConversionFailure) -> (OwnedDescriptor, stat) {
        try converting { () throws(AccessFailure) in
            let former = try place.directory.file(place.name)
            try former.lock(alone: false)
            return (former, try former.status())
        }
    }

    /// - Parameter count: the number of bytes of content.
    private static func requireSpace(_ count: UInt64, at place: FilePlace) throws(ConversionFailure) {
        guard let free = place.directory.freeByteCount else { return }
        // Nodes take 1.2 %, and a file that is one block longer takes a header and a node.
        let needed = count + count / 64 + 64 << 10
        guard free >= needed else { throw .noSpace(needed: needed, free: free) }
    }
}
