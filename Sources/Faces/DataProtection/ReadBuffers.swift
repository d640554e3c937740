import Foundation
import LatchkeySecretMemory

/// The memory of data that was read, used again when a program has released it.
///
/// The C library gives pieces of this size back to the system and gets them anew, page by page: reading a file piece by
/// piece took half as long again. The content is wiped when it is released.
enum ReadBuffers {
    @safe private struct Buffer: @unchecked Sendable {
        // Sendable because a buffer has one owner: the pool, or the data that was made of it.
        let start: UnsafeMutableRawPointer
        let count: Int
    }

    /// Sizes for which it pays. Smaller ones stay in the heap, and larger ones are rare.
    private static let counts = 64 << 10...4 << 20
    private static let limit = 4

    private static let idle = ProcessMutex<[Buffer]>([])

    /// Returns data that `fill` writes; it returns the number of bytes that count.
    static func data<E: Error>(
        count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
    ) throws(E) -> Data {
        let buffer = take(count)
        do throws(E) {
            let filled = try unsafe fill(UnsafeMutableRawBufferPointer(start: buffer.start, count: count))
            guard filled > 0 else {
                giveBack(buffer)
                return Data()
            }
            return unsafe Data(
                bytesNoCopy: buffer.start, count: filled, deallocator: .custom { _, _ in giveBack(buffer) })
        } catch {
            giveBack(buffer)
            throw error
        }
    }

    private static func take(_ count: Int) -> Buffer {
        let known = idle.withLock { idle in
            idle.lastIndex { $0.count == count }.map { idle.remove(at: $0) }
        }
        if let known { return known }
        return unsafe Buffer(start: .allocate(byteCount: count, alignment: 16), count: count)
    }

    private static func giveBack(_ buffer: Buffer) {
        unsafe wipe(UnsafeMutableRawBufferPointer(start: buffer.start, count: buffer.count))
        guard counts.contains(buffer.count) else { return unsafe buffer.start.deallocate() }
        let surplus = idle.withLock { idle -> Buffer? in
            idle.append(buffer)
            return idle.count > limit ? idle.removeFirst() : nil
        }
        unsafe surplus?.start.deallocate()
    }
}
