import CLatchkeyLibcrypto
import CLatchkeyShims

/// A running cipher of any kind in one direction.
@safe struct CipherEngine {
    private enum Kind {
        case aes(AESEngine)
        case blocks(BlockEngine)
        case units(ComposedXTS)
    }

    private var kind: Kind

    /// - Parameters:
    ///   - key: of a length that the algorithm accepts.
    ///   - tweak: with XTS, the second key, as long as the first.
    ///   - iv: a block, or nil for zeros.
    init(
        _ choice: CipherChoice, key: UnsafeRawPointer, keyByteCount: Int, tweak: UnsafeRawPointer? = nil,
        iv: UnsafeRawPointer?, isEncrypting: Bool
    ) throws(CryptorRefusal) {
        var zeros = (UInt64(0), UInt64(0))
        let engine = unsafe withUnsafeBytes(of: &zeros) { zeros -> Kind? in
            guard let iv = unsafe iv ?? zeros.baseAddress else { return nil }
            switch (choice.algorithm, choice.mode) {
            case (.aes, .xts):
                return unsafe Self.units(key: key, keyByteCount: keyByteCount, tweak: tweak, isEncrypting: isEncrypting)
            case (.aes, let mode):
                let engine = unsafe AESEngine(
                    mode, key: key, keyByteCount: keyByteCount, iv: iv, isEncrypting: isEncrypting)
                return engine.map(Kind.aes)
            case (let algorithm, let mode):
                return unsafe .blocks(
                    BlockEngine(
                        algorithm, mode, key: key, keyByteCount: keyByteCount, iv: iv, isEncrypting: isEncrypting))
            }
        }
        guard let engine else { throw CryptorRefusal(.memory) }
        kind = engine
    }

    /// Makes an engine for the other direction, which shares this one's key and must not be released; nil for AES,
    /// whose keys differ by direction.
    func opposite(iv: UnsafeRawPointer) -> CipherEngine? {
        guard case .blocks(let engine) = kind else { return nil }
        return CipherEngine(kind: .blocks(unsafe engine.opposite(iv: iv)))
    }

    private init(kind: Kind) {
        self.kind = kind
    }

    /// Makes an XTS engine. libcrypto takes both keys in one piece. It refuses two equal ones, and has none of 24
    /// bytes.
    private static func units(
        key: UnsafeRawPointer, keyByteCount: Int, tweak: UnsafeRawPointer?, isEncrypting: Bool
    ) -> Kind? {
        guard let tweak = unsafe tweak else { return nil }
        guard unsafe AESCipher.fetched(.xts, keyByteCount: keyByteCount) != nil,
            unsafe CRYPTO_memcmp(key, tweak, keyByteCount) != 0
        else {
            let engine = unsafe ComposedXTS(
                key: key, tweakKey: tweak, keyByteCount: keyByteCount, isEncrypting: isEncrypting)
            return engine.map(Kind.units)
        }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 2 * keyByteCount, alignment: 8) { keys in
            defer { unsafe lk_wipe(keys.baseAddress, keys.count) }
            unsafe keys.copyMemory(from: UnsafeRawBufferPointer(start: key, count: keyByteCount))
            unsafe UnsafeMutableRawBufferPointer(rebasing: keys[keyByteCount...]).copyMemory(
                from: UnsafeRawBufferPointer(start: tweak, count: keyByteCount))
            guard let both = keys.baseAddress else { return nil }
            let engine = unsafe AESEngine(
                .xts, key: both, keyByteCount: keyByteCount, iv: both, isEncrypting: isEncrypting)
            return engine.map(Kind.aes)
        }
    }

    func release() {
        switch kind {
        case .aes(let engine): engine.release()
        case .blocks(let engine): engine.release()
        case .units(let engine): engine.release()
        }
    }

    /// Processes whole blocks, or any number of bytes in the streaming modes. The output may be the input, or overlap
    /// it.
    mutating func run(_ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int) -> Bool {
        var input = unsafe input
        if unsafe overlaps(input, output, count) {
            unsafe output.copyMemory(from: input, byteCount: count)
            unsafe input = UnsafeRawPointer(output)
        }
        switch kind {
        case .aes(var engine):
            defer { kind = .aes(engine) }
            return unsafe engine.run(input, output, count)
        case .blocks(var engine):
            unsafe engine.run(input, output, count)
            kind = .blocks(engine)
            return true
        case .units:
            return false
        }
    }

    /// XTS: processes one unit, which begins with a tweak.
    func runUnit(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, tweak: UnsafeRawPointer
    ) -> Bool {
        var input = unsafe input
        if unsafe overlaps(input, output, count) {
            unsafe output.copyMemory(from: input, byteCount: count)
            unsafe input = UnsafeRawPointer(output)
        }
        switch kind {
        case .aes(let engine): return unsafe engine.runUnit(input, output, count, tweak: tweak)
        case .units(let engine): return unsafe engine.runUnit(input, output, count, tweak: tweak)
        case .blocks: return false
        }
    }

    /// Returns to the beginning of a message.
    mutating func restart(_ mode: CipherMode, iv: UnsafeRawPointer) -> Bool {
        switch kind {
        case .aes(var engine):
            defer { kind = .aes(engine) }
            return unsafe engine.restart(mode, iv: iv)
        case .blocks(var engine):
            unsafe engine.restart(iv: iv)
            kind = .blocks(engine)
            return true
        case .units: return false
        }
    }

    /// Reads the block that CBC chains to the next one.
    func readVector(into iv: UnsafeMutableRawPointer) -> Bool {
        switch kind {
        case .aes(let engine): return unsafe engine.readVector(into: iv)
        case .blocks(let engine):
            unsafe engine.readVector(into: iv)
            return true
        case .units: return false
        }
    }
}

/// Returns true if two areas of the same length share bytes without being the same.
func overlaps(_ one: UnsafeRawPointer, _ other: UnsafeMutableRawPointer, _ count: Int) -> Bool {
    let distance = UInt(bitPattern: one) &- UInt(bitPattern: other)
    return distance != 0 && (distance < UInt(count) || 0 &- distance < UInt(count))
}
