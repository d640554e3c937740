/// A secret with several owners: for collections and messages, which cannot hold noncopyable values.
/// The bytes are wiped when the last owner releases it.
package final class SecretBox: Sendable {
    private let bytes: SecretBytes

    package init(_ bytes: consuming SecretBytes) {
        self.bytes = bytes
    }

    /// Makes secret bytes that `fill` writes in place.
    package convenience init<E: Error>(
        count: Int, filledBy fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
    ) throws(E) {
        unsafe self.init(try SecretBytes(count: count, filledBy: fill))
    }

    /// Copies bytes that the caller owns and wipes.
    package convenience init(copying bytes: UnsafeRawBufferPointer) {
        unsafe self.init(SecretBytes(copying: bytes))
    }

    /// Copies bytes of an array: for faces and tests, which have to forget their own copy.
    package convenience init(copying bytes: [UInt8]) {
        unsafe self.init(count: bytes.count) { unsafe $0.copyBytes(from: bytes) }
    }

    /// Copies many pieces of bytes that the caller owns and wipes. Takes their memory at once: a message may carry many
    /// secrets, and other threads need memory for theirs.
    package static func copies(of pieces: [UnsafeRawBufferPointer]) -> [SecretBox] {
        let places = unsafe SecretArena.of(.shared).take(pieces.map(\.count))
        return unsafe zip(places, pieces).map { address, piece in
            guard let start = unsafe UnsafeMutableRawPointer(bitPattern: address) else {
                preconditionFailure("the secret arena gave no memory")
            }
            unsafe UnsafeMutableRawBufferPointer(start: start, count: piece.count).copyMemory(from: piece)
            return unsafe SecretBox(SecretBytes(adopting: start, count: piece.count))
        }
    }

    package var count: Int { bytes.count }

    /// Copies these bytes to memory of which a child of `fork` has a copy: for what a call has handed out, which the program
    /// may go on using there. In the child the copy is not locked.
    package func keptOnFork() -> SecretBox {
        SecretBox(bytes.keptOnFork())
    }

    /// Calls `body` with the bytes, which are valid only during the call.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try unsafe bytes.withBytes(body)
    }

    /// Compares in constant time; secrets of different lengths are different.
    package func equals(_ other: SecretBox) -> Bool {
        bytes.equals(other.bytes)
    }
}
