/// Damage to the bytes of one object.
enum StoreDamage {
    static func flipBit(of bytes: inout [UInt8], _ generator: inout any RandomNumberGenerator & Sendable) {
        guard !bytes.isEmpty else { return }
        let bit = Int(generator.next() % UInt64(8 * bytes.count))
        bytes[bit / 8] ^= 1 << (bit % 8)
    }

    static func truncate(_ bytes: inout [UInt8], _ generator: inout any RandomNumberGenerator & Sendable) {
        guard !bytes.isEmpty else { return }
        bytes.removeLast(1 + Int(generator.next() % UInt64(bytes.count)))
    }
}
