import LatchkeyFileAccess
import LatchkeySecretMemory
import LatchkeyThreading

/// The content of a file, piece by piece. Of a file of several pieces the next one is read, and decrypted, on a thread of
/// its own while the caller works on the one before.
final class ReadAhead: @unchecked Sendable {
    // Sendable because everything that changes is used under the condition's lock, and each buffer by one side at a time.
    static let pieceByteCount = 1 << 20

    private let content: SourceContent
    private let condition = WaitCondition()
    private let buffers: [SecretBuffer]
    /// The number of bytes in each buffer that was filled and not yet taken; nil for one that is free.
    private var filled: [Int?]
    private var failure: AccessFailure?
    private var isEnded = false
    private var isReading = false
    /// Set once, before the thread and the caller read it.
    private var isThreaded = false
    /// The piece that the caller works on.
    private var current: Int?
    private var nextPiece = 0
    /// Used by the side that reads.
    private var offset: UInt64 = 0

    init(_ content: SourceContent) {
        self.content = content
        let isLong = content.size > UInt64(Self.pieceByteCount)
        buffers = (0..<(isLong ? 3 : 1)).map { _ in
            SecretBuffer(count: isLong ? Self.pieceByteCount : max(1, Int(content.size)))
        }
        filled = Array(repeating: nil, count: buffers.count)
        if isLong {
            isReading = true
            isThreaded = true
            if !DetachedThread.start({ [self] in readAll() }) { isThreaded = false }
        }
    }

    /// The next piece, valid until the next call; nil at the end. A file that grows meanwhile ends where it ended.
    func next() throws(AccessFailure) -> UnsafeRawBufferPointer? {
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
    func end() {
        condition.withLock {
            isEnded = true
            condition.wakeAll()
        }
    }

    private func readHere() throws(AccessFailure) -> UnsafeRawBufferPointer? {
        let count = try readPiece(0)
        return unsafe count > 0 ? UnsafeRawBufferPointer(rebasing: buffers[0].bytes[..<count]) : nil
    }

    private func readPiece(_ piece: Int) throws(AccessFailure) -> Int {
        let wanted = Int(min(content.size - min(offset, content.size), UInt64(buffers[piece].count)))
        guard wanted > 0 else { return 0 }
        let count = try unsafe content.read(at: offset, into: .init(rebasing: buffers[piece].bytes[..<wanted]))
        offset += UInt64(count)
        return count
    }

    private func readAll() {
        for number in 0... {
            let piece = number % buffers.count
            let isWanted = condition.withLock {
                while filled[piece] != nil, !isEnded { condition.wait() }
                return !isEnded
            }
            guard isWanted else { break }
            do throws(AccessFailure) {
                let count = try readPiece(piece)
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
