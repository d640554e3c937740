/// A record of authenticated data that answers whether 16 bytes occurred in it, in bounded memory.
///
/// A Bloom filter over the names of all pieces of 16 bytes: it never forgets one, and with every megabyte it takes
/// unknown pieces for known more often. A long life thus only makes it lenient: it misses findings and never invents
/// one.
struct AuthenticatedBytes: Sendable {
    typealias Name = UInt64

    static let pieceByteCount = 16
    /// A megabyte. It takes about one unknown piece in 30 for known after a megabyte, and half of them after four.
    private static let bitCount = 1 << 23
    private static let bitsOfAName = 3

    private let keys: (UInt64, UInt64)
    /// Empty until data is authenticated, which most processes never do.
    private var words: [UInt64] = []

    init(seed: UInt64) {
        keys = (Self.mix(seed), Self.mix(~seed))
    }

    /// Computes the name of 16 bytes by two keyed multiplications. The bytes must exist.
    func name(of bytes: UnsafeRawBufferPointer, at offset: Int = 0) -> Name {
        let one = unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        let other = unsafe bytes.loadUnaligned(fromByteOffset: offset + 8, as: UInt64.self)
        let product = (one ^ keys.0).multipliedFullWidth(by: other ^ keys.1)
        return Self.mix(product.high ^ product.low ^ keys.0)
    }

    mutating func insertPieces(of bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.pieceByteCount else { return }
        if words.isEmpty { words = Array(repeating: 0, count: Self.bitCount / 64) }
        let (names, last) = (self, bytes.count - Self.pieceByteCount)
        unsafe words.withUnsafeMutableBufferPointer { words in
            for offset in 0...last {
                var name = unsafe names.name(of: bytes, at: offset)
                for _ in 0..<Self.bitsOfAName {
                    let bit = Int(truncatingIfNeeded: name) & (Self.bitCount - 1)
                    unsafe words[bit >> 6] |= 1 << UInt64(bit & 63)
                    name >>= 20
                }
            }
        }
    }

    func contains(_ name: Name) -> Bool {
        guard !words.isEmpty else { return false }
        var rest = name
        for _ in 0..<Self.bitsOfAName {
            let bit = Int(truncatingIfNeeded: rest) & (Self.bitCount - 1)
            guard words[bit >> 6] & 1 << UInt64(bit & 63) != 0 else { return false }
            rest >>= 20
        }
        return true
    }

    /// Makes every bit of the result depend on all bits.
    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
