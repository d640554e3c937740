import CLatchkeyShims

/// A cipher at work in one direction, whichever it is.
@safe struct CipherEngine {
    private enum Kind {
        case aes(AESEngine)
        case blocks(BlockEngine)
    }

    private var kind: Kind

    /// - Parameters:
    ///   - key: of a length that the algorithm takes.
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
        // XTS alone can fail: with keys of 24 bytes, or with two that are the same.
        guard let engine else { throw CryptorRefusal(choice.mode == .xts ? .parameter : .memory) }
        kind = engine
    }

    /// libcrypto takes both keys of XTS in one piece.
    private static func units(
        key: UnsafeRawPointer, keyByteCount: Int, tweak: UnsafeRawPointer?, isEncrypting: Bool
    ) -> Kind? {
        guard let tweak = unsafe tweak else { return nil }
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
        }
    }

    /// Whole blocks, or any number of bytes in the streaming modes. The output may be the input, or overlap it.
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
        }
    }

    /// XTS: one unit, which a tweak begins.
    func runUnit(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, tweak: UnsafeRawPointer
    ) -> Bool {
        guard case .aes(let engine) = kind else { return false }
        var input = unsafe input
        if unsafe overlaps(input, output, count) {
            unsafe output.copyMemory(from: input, byteCount: count)
            unsafe input = UnsafeRawPointer(output)
        }
        return unsafe engine.runUnit(input, output, count, tweak: tweak)
    }

    /// Back to the beginning of a message.
    mutating func restart(_ mode: CipherMode, iv: UnsafeRawPointer) -> Bool {
        switch kind {
        case .aes(var engine):
            defer { kind = .aes(engine) }
            return unsafe engine.restart(mode, iv: iv)
        case .blocks(var engine):
            unsafe engine.restart(iv: iv)
            kind = .blocks(engine)
            return true
        }
    }

    /// What CBC chains to the next block.
    func readVector(into iv: UnsafeMutableRawPointer) -> Bool {
        switch kind {
        case .aes(let engine): return unsafe engine.readVector(into: iv)
        case .blocks(let engine):
            unsafe engine.readVector(into: iv)
            return true
        }
    }
}

/// Whether two areas of the same length share bytes without being the same.
func overlaps(_ one: UnsafeRawPointer, _ other: UnsafeMutableRawPointer, _ count: Int) -> Bool {
    let distance = UInt(bitPattern: one) &- UInt(bitPattern: other)
    return distance != 0 && (distance < UInt(count) || 0 &- distance < UInt(count))
}
