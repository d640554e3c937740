import Glibc
package import LatchkeySecretMemory

/// A reader of secrets with read(2) straight into locked memory; no buffer is in between.
package enum SecretReader {
    package static let lineLimit = 1024
    package static let secretLimit = 16 * 1024 * 1024

    /// Reads one line without its end, and no byte beyond it: the rest is for the next reader. A carriage return before
    /// the newline is part of the line's end.
    package static func line(from descriptor: Int32, limit: Int = lineLimit) throws(InputFailure) -> SecretBox {
        var count = 0
        var sawAnything = false
        let room = try unsafe SecretBox(count: limit + 1) { buffer throws(InputFailure) in
            while true {
                guard count < limit + 1 else { throw .tooLong(limit: limit) }
                let slot = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[count..<(count + 1)])
                guard try unsafe read(descriptor, into: slot) == 1 else { break }
                sawAnything = true
                guard unsafe slot[0] != UInt8(ascii: "\n") else { break }
                count += 1
            }
            if count > 0, unsafe buffer[count - 1] == UInt8(ascii: "\r") { count -= 1 }
        }
        guard sawAnything else { throw .ended }
        return room.prefix(count)
    }

    /// Reads everything up to the end of the input, byte for byte.
    package static func everything(from descriptor: Int32, limit: Int) throws(InputFailure) -> SecretBox {
        var filled = unsafe SecretBox(count: 0) { _ in }
        var chunkSize = 4096
        while true {
            var count = 0
            let chunk = try unsafe SecretBox(count: chunkSize) { buffer throws(InputFailure) in
                while count < buffer.count {
                    let got = try unsafe read(
                        descriptor, into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...]))
                    guard got > 0 else { break }
                    count += got
                }
            }
            guard filled.count + count <= limit else { throw .tooLong(limit: limit) }
            filled = filled.appending(chunk, count: count)
            guard count == chunkSize else { return filled }
            chunkSize = max(chunkSize, filled.count)
        }
    }

    /// Reads with a blocking read(2) that a signal does not end.
    private static func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer
    ) throws(InputFailure) -> Int {
        while true {
            let count = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return count }
            guard errno == EINTR else { throw .cannotRead(errno: errno) }
        }
    }
}
