import Glibc
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// Room for a piece of a file's content, wiped in the end.
@safe final class PieceBuffer {
    /// A multiple of the block of the format and of file systems.
    static let byteCount = 1 << 20

    let bytes: UnsafeMutableRawBufferPointer

    init() {
        unsafe bytes = .allocate(byteCount: Self.byteCount, alignment: 4096)
    }

    deinit {
        unsafe wipe(bytes)
        unsafe bytes.deallocate()
    }

    func prefix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(rebasing: bytes[..<count])
    }
}

extension OwnedDescriptor {
    /// Calls `body` with each piece of a file in clear that is stored, in order; holes are left out.
    ///
    /// - Parameter body: is given the offset of a piece.
    func pieces(
        _ body: (UInt64, UnsafeRawBufferPointer) throws(ConversionFailure) -> Void
    ) throws(ConversionFailure) {
        let buffer = PieceBuffer()
        let size = Int64(try converting { () throws(AccessFailure) in try status().st_size })
        var offset: Int64 = 0
        while offset < size {
            var (start, end) = (offset, size)
            let found = unsafe lk_file_next_data(number, offset, &start, &end)
            // A file system that does not know of holes: everything is stored.
            if found < 0 { (start, end) = (offset, size) }
            guard found != 0 else { return }
            offset = start
            while offset < end {
                let wanted = Int(min(end - offset, Int64(PieceBuffer.byteCount)))
                let count = try converting { () throws(AccessFailure) in
                    try unsafe read(at: UInt64(offset), into: .init(rebasing: buffer.bytes[..<wanted]))
                }
                guard count > 0 else { return }
                try unsafe body(UInt64(offset), buffer.prefix(count))
                offset += Int64(count)
            }
        }
    }

    /// Reads until the buffer is full or the file ends.
    package func read(at offset: UInt64, into bytes: UnsafeMutableRawBufferPointer) throws(AccessFailure) -> Int {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe pread(number, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw .system(call: "pread", errno: errno) }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    package func write(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        var done = 0
        while done < bytes.count {
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[done...])
            let count = unsafe pwrite(number, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw .system(call: "pwrite", errno: count < 0 ? errno : EIO) }
            done += count
        }
    }

    func truncate(to size: UInt64) throws(AccessFailure) {
        guard ftruncate(number, off_t(size)) == 0 else { throw .system(call: "ftruncate", errno: errno) }
    }

    func synchronize() throws(AccessFailure) {
        guard fsync(number) == 0 else { throw .system(call: "fsync", errno: errno) }
    }

    /// Writes a piece but for its blocks of zeros, which become holes of a new file.
    func writeSparsely(at offset: UInt64, from bytes: UnsafeRawBufferPointer) throws(AccessFailure) {
        let block = 4096
        var start = 0
        var index = 0
        while index < bytes.count {
            let end = min(index + block, bytes.count)
            let isHole = unsafe UnsafeRawBufferPointer(rebasing: bytes[index..<end]).allSatisfy { $0 == 0 }
            if isHole {
                try unsafe write(at: offset + UInt64(start), from: .init(rebasing: bytes[start..<index]))
                start = end
            }
            index = end
        }
        try unsafe write(at: offset + UInt64(start), from: .init(rebasing: bytes[start...]))
    }
}
