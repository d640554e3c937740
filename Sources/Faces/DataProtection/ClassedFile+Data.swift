import Foundation
import LatchkeyFileAccess

extension ClassedFile {
    /// Reads up to a number of bytes, or up to the end.
    func read(at offset: UInt64, upTo count: Int) throws(AccessFailure) -> Data {
        let size = try size()
        guard size > offset else { return Data() }
        let wanted = Int(min(UInt64(max(0, count)), size - offset))
        // Another handle may cut the file meanwhile: then fewer bytes are read.
        return try unsafe ReadBuffers.data(count: wanted) { buffer throws(AccessFailure) in
            try unsafe read(at: offset, into: buffer)
        }
    }
}

extension OpenFile {
    /// Reads the whole content.
    func contents() throws(AccessFailure) -> Data {
        try ClassedFile.stored(self).read(at: 0, upTo: .max)
    }
}

extension OwnedDescriptor {
    /// Reads a whole file in clear.
    func contents() throws -> Data {
        let file = FileHandle(fileDescriptor: number, closeOnDealloc: false)
        try file.seek(toOffset: 0)
        return try file.readToEnd() ?? Data()
    }
}
