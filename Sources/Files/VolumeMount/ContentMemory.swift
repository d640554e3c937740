import LatchkeySecretMemory
import Synchronization

/// Memory for the content of answers, which later requests use again: new memory would come from the system page by page.
///
/// The content of the last answers stays in it until ``wipe()``, which a thread calls before it sleeps.
@safe final class ContentMemory: Sendable {
    /// A piece that one request has for itself.
    @safe struct Piece: @unchecked Sendable {
        // Sendable because it has one owner at a time: a request, or the list of free pieces.
        fileprivate let memory: UnsafeMutableRawBufferPointer
        /// The number of bytes that may have content.
        fileprivate var usedByteCount: Int

        /// The bytes that the request asked for.
        func bytes(_ byteCount: Int) -> UnsafeMutableRawBufferPointer {
            unsafe UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount])
        }
    }

    private let free = Mutex<[Piece]>([])

    private static let freeLimit = 4
    private static let pageByteCount = 4096
    private static let usualByteCount = 128 * 1024

    deinit {
        free.withLock { pieces in
            for piece in pieces { Self.end(piece) }
        }
    }

    /// Returns a piece of at least so many bytes, which may have content of other requests.
    func take(_ byteCount: Int) -> Piece {
        let known = free.withLock { $0.popLast() }
        if var known {
            if unsafe known.memory.count >= byteCount {
                known.usedByteCount = max(known.usedByteCount, byteCount)
                return known
            }
            Self.end(known)
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(byteCount, Self.usualByteCount), alignment: Self.pageByteCount)
        return unsafe Piece(memory: memory, usedByteCount: byteCount)
    }

    func giveBack(_ piece: Piece) {
        let isKept = free.withLock { pieces in
            guard pieces.count < Self.freeLimit else { return false }
            pieces.append(piece)
            return true
        }
        if !isKept { Self.end(piece) }
    }

    /// Wipes what no request uses at present.
    func wipe() {
        free.withLock { pieces in
            for index in pieces.indices where pieces[index].usedByteCount > 0 {
                unsafe LatchkeySecretMemory.wipe(pieces[index].bytes(pieces[index].usedByteCount))
                pieces[index].usedByteCount = 0
            }
        }
    }

    private static func end(_ piece: Piece) {
        unsafe LatchkeySecretMemory.wipe(piece.bytes(piece.usedByteCount))
        unsafe piece.memory.deallocate()
    }
}
