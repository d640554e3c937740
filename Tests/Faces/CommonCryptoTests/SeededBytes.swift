import LatchkeyTestSupport

/// Bytes that look random and are the same in every run: the seed is in the test.
struct SeededBytes: RandomNumberGenerator {
    private var numbers: SplitMix

    init(seed: UInt64) {
        numbers = SplitMix(seed: seed)
    }

    init(_ name: String) {
        // FNV-1a
        self.init(
            seed: name.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 })
    }

    mutating func next() -> UInt64 { numbers.next() }

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
