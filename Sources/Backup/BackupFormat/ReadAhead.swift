import LatchkeySecretMemory
import LatchkeyThreading

/// The bytes that are read at once of a long content.
package let readAheadPieceByteCount = 1 << 20

/// A content, piece by piece. Of one of several pieces the next one is read, and decrypted, on a thread of its own while the
/// caller works on the one before.
@safe package final class ReadAhead<Failure: Error>: @unchecked Sendable {
    // Sendable because everything that changes is used under the condition's lock, and each buffer by one side at a time.

    /// Called by the side that reads.
    private let read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    private let condition = WaitCondition()
    private let buffers: [SecretBuffer]
    /// The number of bytes in each buffer that was filled and not yet taken; nil for one that is free.
    private var filled: [Int?]
    private var failure: Failure?
    private var isEnded = false
    private var isReading = false
    /// Set once, before the thread and the caller read it.
    private var isThreaded = false
    /// The piece that the caller works on.
    private var current: Int?
    private var nextPiece = 0

    /// - Parameters:
    ///   - byteCount: the bytes that are expected. They decide how much memory is taken, and whether a thread is worth it.
    ///   - read: reads what comes next and returns the number of bytes, 0 at the end. It is called on the caller's thread or on
    ///     another one, with a buffer that is not empty.
    package init(
        expecting byteCount: UInt64, _ read: @escaping (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) {
        unsafe self.read = read
        let isLong = byteCount > UInt64(readAheadPieceByteCount)
        buffers = (0..<(isLong ? 3 : 1)).map { _ in
            SecretBuffer(count: isLong ? readAheadPieceByteCount : max(1, Int(byteCount)))
        }
        filled = Array(repeating: nil, count: buffers.count)
        if isLong {
            isReading = true
            isThreaded = true
            if !DetachedThread.start({ [self] in readAll() }) { isThreaded = false }
        }
    }

    /// The next piece, valid until the next call; nil at the end.
    package func next() throws(Failure) -> UnsafeRawBufferPointer? {
        guard isThreaded else { return try unsafe readHere() }
        let taken: (piece: Int, count: Int)? = condition.withLock {
            if let current {
                filled[current] = nil
                condition.wakeAll()
            }
            current = nil
            let piece = nextPiece % buffers.count
            while filled[piece] == nil, isReading { condition.wait() }
            guard let count = filled[piece] else { return nil }
            current = piece
            nextPiece += 1
            return (piece, count)
        }
        if let taken { return unsafe UnsafeRawBufferPointer(rebasing: buffers[taken.piece].bytes[..<taken.count]) }
        if let failure = condition.withLock({ failure }) { throw failure }
        return nil
    }

    /// Has the thread end, if the caller wants no more.
    package func end() {
        condition.withLock {
            isEnded = true
            condition.wakeAll()
        }
    }

    private func readHere() throws(Failure) -> UnsafeRawBufferPointer? {
        let count = try unsafe read(buffers[0].bytes)
        return unsafe count > 0 ? UnsafeRawBufferPointer(rebasing: buffers[0].bytes[..<count]) : nil
    }

    private func readAll() {
        for number in 0... {
            let piece = number % buffers.count
            let isWanted = condition.withLock {
                while filled[piece] != nil, !isEnded { condition.wait() }
                return !isEnded
            }
            guard isWanted else { break }
            do throws(Failure) {
                let count = try unsafe read(buffers[piece].bytes)
                guard count > 0 else { break }
                condition.withLock {
                    filled[piece] = count
                    condition.wakeAll()
                }
            } catch {
                condition.withLock { failure = error }
                break
            }
        }
        condition.withLock {
            isReading = false
            condition.wakeAll()
        }
    }
}
