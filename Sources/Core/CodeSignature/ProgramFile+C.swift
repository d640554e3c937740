import Glibc
import LatchkeyCryptoSuite

/// A program's file, read through a descriptor that the caller keeps open. The descriptor's offset does not change.
struct ProgramFile: Sendable {
    /// Larger files are refused: hashing them would keep a caller waiting for seconds.
    static let byteLimit: UInt64 = 4 << 30

    private let descriptor: Int32
    let byteCount: UInt64

    init(descriptor: Int32) throws(SignatureFailure) {
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw .unreadable(errorText(errno)) }
        guard status.st_mode & S_IFMT == S_IFREG, let byteCount = UInt64(exactly: status.st_size) else {
            throw .unreadable("it is not a regular file")
        }
        guard byteCount <= Self.byteLimit else { throw .malformedProgram("it is larger than 4 GiB") }
        self.descriptor = descriptor
        self.byteCount = byteCount
    }

    /// The range of `count` bytes from `start`; nil if it is not all inside the file.
    func range(from start: UInt64, count: UInt64) -> Range<UInt64>? {
        let (end, isTooLarge) = start.addingReportingOverflow(count)
        guard !isTooLarge, end <= byteCount else { return nil }
        return start..<end
    }

    /// The bytes of a range inside the file, of a size the caller has limited.
    func bytes(_ range: Range<UInt64>) throws(SignatureFailure) -> [UInt8] {
        var failure: SignatureFailure?
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: range.count) { buffer, written in
            do throws(SignatureFailure) {
                unsafe try read(
                    at: range.lowerBound,
                    into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[..<range.count])
                )
                written = range.count
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        return bytes
    }

    /// SHA-256 of the file with zeros in the given ranges, which are in order.
    func digest(zeroing ranges: [Range<UInt64>]) throws(SignatureFailure) -> [UInt8] {
        let pieceByteCount = 1 << 20
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceByteCount, alignment: 4096)
        defer { unsafe memory.deallocate() }
        var digest = RunningDigest(.sha256)
        var position: UInt64 = 0
        while position < byteCount {
            let end = min(position + UInt64(pieceByteCount), byteCount)
            let piece = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<Int(end - position)])
            try unsafe read(at: position, into: piece)
            for range in ranges {
                let part = range.clamped(to: position..<end)
                guard !part.isEmpty else { continue }
                let places = Int(part.lowerBound - position)..<Int(part.upperBound - position)
                unsafe UnsafeMutableRawBufferPointer(rebasing: piece[places])
                    .initializeMemory(as: UInt8.self, repeating: 0)
            }
            unsafe digest.update(UnsafeRawBufferPointer(piece))
            position = end
        }
        return digest.finish()
    }

    private func read(at offset: UInt64, into buffer: UnsafeMutableRawBufferPointer) throws(SignatureFailure) {
        var done = 0
        while done < buffer.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[done...])
            let count = unsafe pread(descriptor, rest.baseAddress, rest.count, off_t(offset) + off_t(done))
            if count < 0 && errno == EINTR { continue }
            guard count >= 0 else { throw .unreadable(errorText(errno)) }
            guard count > 0 else { throw .unreadable("it became shorter while it was read") }
            done += count
        }
    }
}

/// The system's words for an error number.
func errorText(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
}
