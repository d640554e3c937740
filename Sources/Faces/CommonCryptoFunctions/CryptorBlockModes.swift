import CLatchkeyLibcrypto
import CLatchkeyShims

/// A running cipher with blocks of eight bytes, or RC4, in a mode.
///
/// libcrypto has their CBC, CFB and OFB, and CFB8 for DES. CTR, and CFB8 for the others, are composed of its blocks.
@safe struct BlockEngine {
    private let key: BlockKey
    private let mode: CipherMode
    private let isEncrypting: Bool
    /// The chained block, or the counter; in the byte order of the blocks.
    private var vector: UInt64 = 0
    /// CTR: the bytes of the last counter.
    private var pad: UInt64 = 0
    /// The number of bytes of a block that CFB, OFB or CTR have used.
    private var used: Int32 = 0

    init(
        _ algorithm: CipherAlgorithm, _ mode: CipherMode, key: UnsafeRawPointer, keyByteCount: Int,
        iv: UnsafeRawPointer, isEncrypting: Bool
    ) {
        self.key = unsafe BlockKey(algorithm, key: key, keyByteCount: keyByteCount)
        self.mode = mode
        self.isEncrypting = isEncrypting
        if mode != .ecb && mode != .rc4 { unsafe restart(iv: iv) }
    }

    /// Creates the other direction with the same key, which the first one releases.
    private init(_ other: BlockEngine, iv: UnsafeRawPointer) {
        key = other.key
        mode = other.mode
        isEncrypting = !other.isEncrypting
        if mode != .ecb && mode != .rc4 { unsafe restart(iv: iv) }
    }

    func opposite(iv: UnsafeRawPointer) -> BlockEngine { unsafe BlockEngine(self, iv: iv) }

    func release() {
        key.release()
    }

    mutating func restart(iv: UnsafeRawPointer) {
        vector = unsafe iv.loadUnaligned(as: UInt64.self)
        used = 0
    }

    func readVector(into iv: UnsafeMutableRawPointer) {
        unsafe iv.storeBytes(of: vector, as: UInt64.self)
    }

    /// Processes whole blocks, or any number of bytes in the streaming modes. The output is the input's memory or apart
    /// from it.
    mutating func run(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int) {
        switch mode {
        case .ecb:
            for offset in stride(from: 0, to: count, by: 8) {
                unsafe key.block(input + offset, output + offset, isEncrypting: isEncrypting)
            }
        case .ctr: unsafe runCounter(input, output, count)
        case .cfb8 where key.algorithm != .des && key.algorithm != .tripleDES:
            unsafe runBytewiseFeedback(input, output, count)
        case .cbc, .cfb, .ofb, .cfb8, .rc4:
            unsafe runChain(
                input.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt8.self), count)
        case .xts, .gcm, .ccm: preconditionFailure("AES alone has these modes")
        }
    }

    /// Runs CTR, whose counter is the whole block.
    private mutating func runCounter(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int) {
        for offset in 0..<count {
            if used == 0 {
                unsafe key.block(&vector, &pad, isEncrypting: true)
                vector = (UInt64(bigEndian: vector) &+ 1).bigEndian
            }
            let byte = UInt8(truncatingIfNeeded: UInt64(bigEndian: pad) >> UInt64(56 - used * 8))
            unsafe output.storeBytes(
                of: input.load(fromByteOffset: offset, as: UInt8.self) ^ byte, toByteOffset: offset, as: UInt8.self)
            used = (used + 1) & 7
        }
    }

    /// Runs one block for each byte; the ciphertext moves in from the right.
    private mutating func runBytewiseFeedback(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int
    ) {
        for offset in 0..<count {
            unsafe key.block(&vector, &pad, isEncrypting: true)
            let before = unsafe input.load(fromByteOffset: offset, as: UInt8.self)
            let after = before ^ UInt8(truncatingIfNeeded: UInt64(bigEndian: pad) >> 56)
            unsafe output.storeBytes(of: after, toByteOffset: offset, as: UInt8.self)
            vector = (UInt64(bigEndian: vector) << 8 | UInt64(isEncrypting ? after : before)).bigEndian
        }
    }
}

extension BlockEngine {
    private mutating func runChain(
        _ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, _ count: Int
    ) {
        let direction: Int32 = isEncrypting ? 1 : 0
        let key = key
        let mode = mode
        var used = used
        unsafe withUnsafeMutableBytes(of: &vector) { vector in
            let iv = unsafe vector.baseAddress?.assumingMemoryBound(to: UInt8.self)
            let block = unsafe vector.baseAddress?.assumingMemoryBound(to: DES_cblock.self)
            switch (mode, key.algorithm) {
            case (.rc4, _): unsafe RC4(key.rc4, count, input, output)

            case (.cbc, .des): unsafe DES_ncbc_encrypt(input, output, count, key.des, block, direction)
            case (.cbc, .tripleDES):
                unsafe DES_ede3_cbc_encrypt(
                    input, output, count, key.des, key.des + 1, key.des + 2, block, direction)
            case (.cbc, .cast): unsafe CAST_cbc_encrypt(input, output, count, key.cast, iv, direction)
            case (.cbc, .rc2): unsafe RC2_cbc_encrypt(input, output, count, key.rc2, iv, direction)
            case (.cbc, .blowfish): unsafe BF_cbc_encrypt(input, output, count, key.blowfish, iv, direction)

            case (.cfb, .des): unsafe DES_cfb64_encrypt(input, output, count, key.des, block, &used, direction)
            case (.cfb, .tripleDES):
                unsafe DES_ede3_cfb64_encrypt(
                    input, output, count, key.des, key.des + 1, key.des + 2, block, &used, direction)
            case (.cfb, .cast): unsafe CAST_cfb64_encrypt(input, output, count, key.cast, iv, &used, direction)
            case (.cfb, .rc2): unsafe RC2_cfb64_encrypt(input, output, count, key.rc2, iv, &used, direction)
            case (.cfb, .blowfish): unsafe BF_cfb64_encrypt(input, output, count, key.blowfish, iv, &used, direction)

            case (.ofb, .des): unsafe DES_ofb64_encrypt(input, output, count, key.des, block, &used)
            case (.ofb, .tripleDES):
                unsafe DES_ede3_ofb64_encrypt(
                    input, output, count, key.des, key.des + 1, key.des + 2, block, &used)
            case (.ofb, .cast): unsafe CAST_ofb64_encrypt(input, output, count, key.cast, iv, &used)
            case (.ofb, .rc2): unsafe RC2_ofb64_encrypt(input, output, count, key.rc2, iv, &used)
            case (.ofb, .blowfish): unsafe BF_ofb64_encrypt(input, output, count, key.blowfish, iv, &used)

            case (.cfb8, .des): unsafe DES_cfb_encrypt(input, output, 8, count, key.des, block, direction)
            case (.cfb8, .tripleDES):
                unsafe DES_ede3_cfb_encrypt(
                    input, output, 8, count, key.des, key.des + 1, key.des + 2, block, direction)
            default: preconditionFailure("a mode that is composed")
            }
        }
        self.used = used
    }
}
