import CLatchkeyLibcrypto
import CLatchkeyShims

/// XTS of IEEE 1619, composed of libcrypto's AES, for the keys that libcrypto's own XTS refuses and Apple's accepts:
/// two equal ones, and those of 24 bytes.
@safe struct ComposedXTS {
    private static let blockByteCount = 16
    /// The number of blocks that go through the cipher at once.
    private static let batchBlockCount = 64

    /// ECB with the first key, in the direction of the units.
    private let blocks: AESEngine
    /// ECB with the second key, which always encrypts.
    private let tweaks: AESEngine
    private let isEncrypting: Bool

    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes.
    ///   - tweakKey: as many.
    init?(key: UnsafeRawPointer, tweakKey: UnsafeRawPointer, keyByteCount: Int, isEncrypting: Bool) {
        guard
            let blocks = unsafe AESEngine(
                .ecb, key: key, keyByteCount: keyByteCount, iv: key, isEncrypting: isEncrypting)
        else { return nil }
        guard
            let tweaks = unsafe AESEngine(
                .ecb, key: tweakKey, keyByteCount: keyByteCount, iv: tweakKey, isEncrypting: true)
        else {
            blocks.release()
            return nil
        }
        self.blocks = blocks
        self.tweaks = tweaks
        self.isEncrypting = isEncrypting
    }

    func release() {
        blocks.release()
        tweaks.release()
    }

    /// Processes one unit of a block or more. The output is the input's memory or apart from it.
    func runUnit(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, tweak: UnsafeRawPointer
    ) -> Bool {
        var engine = tweaks
        var mask = TweakMask()
        guard unsafe withUnsafeMutableBytes(of: &mask, { unsafe Self.encrypt(&engine, tweak, into: $0) }) else {
            return false
        }
        defer { unsafe withUnsafeMutableBytes(of: &mask) { unsafe lk_wipe($0.baseAddress, $0.count) } }
        let rest = count % Self.blockByteCount
        // The last whole block lends its end to the incomplete one.
        let whole = rest == 0 ? count : count - rest - Self.blockByteCount
        var offset = 0
        while offset < whole {
            let length = min(whole - offset, Self.batchBlockCount * Self.blockByteCount)
            guard unsafe run(input + offset, output + offset, length, &mask) else { return false }
            offset += length
        }
        guard rest > 0 else { return true }
        return unsafe steal(input + whole, output + whole, rest, mask)
    }

    private static func encrypt(
        _ engine: inout AESEngine, _ tweak: UnsafeRawPointer, into mask: UnsafeMutableRawBufferPointer
    ) -> Bool {
        guard let start = mask.baseAddress else { return false }
        return unsafe engine.run(tweak, start, blockByteCount)
    }

    /// Processes whole blocks, at most a batch. The mask becomes that of the block after them.
    private func run(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, _ mask: inout TweakMask
    ) -> Bool {
        var engine = blocks
        var current = mask
        for offset in stride(from: 0, to: count, by: Self.blockByteCount) {
            unsafe current.apply(to: input + offset, output + offset)
            current.advance()
        }
        guard unsafe engine.run(output, output, count) else { return false }
        for offset in stride(from: 0, to: count, by: Self.blockByteCount) {
            unsafe mask.apply(to: output + offset, output + offset)
            mask.advance()
        }
        return true
    }

    /// Processes the last whole block and the bytes behind it, which are swapped.
    private func steal(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ rest: Int, _ mask: TweakMask
    ) -> Bool {
        var next = mask
        next.advance()
        // Decrypting uses the two masks in the other order.
        var (first, second) = isEncrypting ? (mask, next) : (next, mask)
        return unsafe withUnsafeTemporaryAllocation(byteCount: 2 * Self.blockByteCount, alignment: 8) { memory in
            guard let start = memory.baseAddress else { return false }
            defer { unsafe lk_wipe(start, 2 * Self.blockByteCount) }
            let tail = unsafe start + Self.blockByteCount
            unsafe tail.copyMemory(from: input + Self.blockByteCount, byteCount: rest)
            guard unsafe run(input, start, Self.blockByteCount, &first) else { return false }
            // The incomplete block is filled up with the end of the block before, and takes its position.
            unsafe (tail + rest).copyMemory(from: start + rest, byteCount: Self.blockByteCount - rest)
            unsafe (output + Self.blockByteCount).copyMemory(from: start, byteCount: rest)
            return unsafe run(tail, output, Self.blockByteCount, &second)
        }
    }
}

/// The mask that a block is combined with before and after the cipher: a number of 128 bits, the least significant byte
/// first.
private struct TweakMask {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    /// Multiplies by the primitive element of IEEE 1619, 5.2.
    mutating func advance() {
        let (low, high) = (UInt64(littleEndian: low), UInt64(littleEndian: high))
        self.high = (high << 1 | low >> 63).littleEndian
        self.low = (low << 1 ^ (high >> 63 &* 0x87)).littleEndian
    }

    /// The output may be the input.
    func apply(to input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer) {
        let first = unsafe input.loadUnaligned(as: UInt64.self) ^ low
        let second = unsafe input.loadUnaligned(fromByteOffset: 8, as: UInt64.self) ^ high
        unsafe output.storeBytes(of: first, as: UInt64.self)
        unsafe output.storeBytes(of: second, toByteOffset: 8, as: UInt64.self)
    }
}
