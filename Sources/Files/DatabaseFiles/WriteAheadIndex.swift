/// The index of a write-ahead log, which the connections of this process share, and its locks.
///
/// SQLite keeps it in a file beside the database (`-shm`) that all processes map. A protected database belongs to one
/// process, so this is memory of that process. It has numbers of pages and no content.
@safe final class WriteAheadIndex {
    /// The parts of the index, at addresses that stay. SQLite asks for parts of 32 KiB.
    private var regions: [UnsafeMutableRawPointer] = unsafe []
    private let regionByteCount: Int
    private var locks: [ConnectionNumber: Held] = [:]
    /// True until a connection has recovered an index that was made invalid.
    private var isInvalid = false
    private var recoveryCount: UInt32 = 0

    private struct Held {
        var shared: UInt32 = 0
        var alone: UInt32 = 0
    }

    static let lockCount = 8
    /// The lock under which a connection recovers the index.
    private static let recovering: UInt32 = 1 << 2
    /// The two copies of the header and what is known of the log ("The WAL-Index File Format", SQLite).
    private static let headerByteCount = 136
    private static let copyByteCount = 48

    init(regionByteCount: Int) {
        self.regionByteCount = regionByteCount
    }

    deinit {
        while let region = unsafe regions.popLast() { unsafe region.deallocate() }
    }

    /// Returns a part, zeros at first; nil if it does not exist and is not to be made.
    func region(_ number: Int, byteCount: Int, extending: Bool) -> UnsafeMutableRawPointer? {
        guard byteCount == regionByteCount, number >= 0 else { return nil }
        while extending, unsafe regions.count <= number {
            let made = UnsafeMutableRawPointer.allocate(byteCount: regionByteCount, alignment: 64)
            unsafe made.initializeMemory(as: UInt8.self, repeating: 0, count: regionByteCount)
            unsafe regions.append(made)
        }
        return unsafe number < regions.count ? regions[number] : nil
    }

    /// Makes the headers invalid, so that the next connection recovers the index from the log. For a connection that holds
    /// the lock for writing or for copying.
    func invalidate() {
        guard let first = unsafe regions.first else { return }
        unsafe first.initializeMemory(as: UInt8.self, repeating: 0, count: Self.headerByteCount)
        isInvalid = true
    }

    /// Gives a header that was recovered a counter of changes that none has had.
    ///
    /// SQLite recovers it with the counter 0. Of an empty log it would then be the header with which other connections may
    /// have begun, which would take their pages in memory for the present ones.
    private func distinguish() {
        // The fields are those of the processor: counter at 8, "is valid" at 12, checksum of the 40 bytes before it at 40.
        guard let first = unsafe regions.first, unsafe first.load(fromByteOffset: 12, as: UInt8.self) != 0 else {
            return
        }
        isInvalid = false
        recoveryCount += 1
        unsafe first.storeBytes(of: UInt32.max - recoveryCount, toByteOffset: 8, as: UInt32.self)
        var (one, other): (UInt32, UInt32) = (0, 0)
        for offset in stride(from: 0, to: 40, by: 8) {
            one = unsafe one &+ first.load(fromByteOffset: offset, as: UInt32.self) &+ other
            other = unsafe other &+ first.load(fromByteOffset: offset + 4, as: UInt32.self) &+ one
        }
        unsafe first.storeBytes(of: one, toByteOffset: 40, as: UInt32.self)
        unsafe first.storeBytes(of: other, toByteOffset: 44, as: UInt32.self)
        unsafe (first + Self.copyByteCount).copyMemory(from: first, byteCount: Self.copyByteCount)
    }

    /// Takes locks for a connection; false, and none taken, if another connection is in the way.
    func lock(_ connection: ConnectionNumber, _ range: Range<Int>, alone: Bool) -> Bool {
        let mask = Self.mask(range)
        for (other, held) in locks where other != connection {
            guard (alone ? held.shared | held.alone : held.alone) & mask == 0 else { return false }
        }
        if alone {
            locks[connection, default: Held()].alone |= mask
        } else {
            locks[connection, default: Held()].shared |= mask
        }
        return true
    }

    func unlock(_ connection: ConnectionNumber, _ range: Range<Int>) {
        guard var held = locks[connection] else { return }
        if isInvalid, held.alone & Self.mask(range) & Self.recovering != 0 { distinguish() }
        held.shared &= ~Self.mask(range)
        held.alone &= ~Self.mask(range)
        locks[connection] = held.shared | held.alone == 0 ? nil : held
    }

    private static func mask(_ range: Range<Int>) -> UInt32 {
        range.reduce(0) { $0 | 1 << UInt32($1) }
    }
}
