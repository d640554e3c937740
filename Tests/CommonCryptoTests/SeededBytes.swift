/// Bytes that look random and are the same in every run: the seed is in the test.
struct SeededBytes: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    init(_ name: String) {
        // FNV-1a
        state = name.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    /// SplitMix64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count + 8)
        while bytes.count < count {
            withUnsafeBytes(of: next()) { bytes.append(contentsOf: $0) }
        }
        return Array(bytes.prefix(count))
    }

    /// Lengths of pieces for a message, none among them and some that fill no block.
    mutating func pieces(of total: Int) -> [Int] {
        var (pieces, left) = ([Int](), total)
        while left > 0, pieces.count < 40 {
            let piece = min(Int(next() % (pieces.count % 5 == 4 ? 5000 : 40)), left)
            pieces.append(piece)
            left -= piece
        }
        return pieces
    }
}
