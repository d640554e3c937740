/// A node's entry for a child, or the header's for the root: where the child lies, under which key and nonce it was
/// sealed, and its tag. Any other content of the child is detected through it.
///
/// 48 bytes, big-endian: position (8), salt (16), counter (8), tag (16). All zero for a hole.
struct BlockReference: Equatable, Sendable {
    static let byteCount = 48
    static let hole = BlockReference(position: 0, salt: SessionSalt(high: 0, low: 0), counter: 0, tag: BlockTag())

    /// The index of a 4 KiB block of the backing; 0 for a hole.
    var position: UInt64
    var salt: SessionSalt
    var counter: UInt64
    var tag: BlockTag

    var isHole: Bool { position == 0 }
}

/// The tag of a sealed block, in memory order.
struct BlockTag: Equatable, Sendable {
    var high: UInt64 = 0
    var low: UInt64 = 0
}

/// The random number from which, with the file's key, the key of one session of sealing derives.
struct SessionSalt: Hashable, Sendable {
    static let byteCount = 16

    var high: UInt64
    var low: UInt64

    /// Big-endian.
    var bytes: [UInt8] {
        [high, low].flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
    }
}

extension BlockReference {
    /// - Parameter bytes: at least 48.
    init(_ bytes: UnsafeRawBufferPointer) {
        position = unsafe Self.word(bytes, 0)
        salt = unsafe SessionSalt(high: Self.word(bytes, 8), low: Self.word(bytes, 16))
        counter = unsafe Self.word(bytes, 24)
        tag = unsafe BlockTag(high: Self.word(bytes, 32).bigEndian, low: Self.word(bytes, 40).bigEndian)
    }

    /// - Parameter bytes: at least 48.
    func write(to bytes: UnsafeMutableRawBufferPointer) {
        let words = (position, salt.high, salt.low, counter, tag.high.bigEndian, tag.low.bigEndian)
        unsafe bytes.storeBytes(of: words.0.bigEndian, toByteOffset: 0, as: UInt64.self)
        unsafe bytes.storeBytes(of: words.1.bigEndian, toByteOffset: 8, as: UInt64.self)
        unsafe bytes.storeBytes(of: words.2.bigEndian, toByteOffset: 16, as: UInt64.self)
        unsafe bytes.storeBytes(of: words.3.bigEndian, toByteOffset: 24, as: UInt64.self)
        unsafe bytes.storeBytes(of: words.4.bigEndian, toByteOffset: 32, as: UInt64.self)
        unsafe bytes.storeBytes(of: words.5.bigEndian, toByteOffset: 40, as: UInt64.self)
    }

    private static func word(_ bytes: UnsafeRawBufferPointer, _ offset: Int) -> UInt64 {
        unsafe UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
