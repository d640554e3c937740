import CLatchkeyShims
import CommonCrypto

/// A message in pieces.
extension Cryptor {
    /// The longest possible piece, with room to count a few blocks more.
    static let longestPiece = Int.max - 1024

    /// The room that a piece needs. Wraps around like Apple's arithmetic.
    func outputByteCount(_ count: Int, final: Bool) -> Int {
        guard !choice.mode.isStreaming else { return count }
        let total = UInt(held.count) &+ UInt(bitPattern: count)
        return Int(bitPattern: choice.outputByteCount(total, final: final))
    }

    /// Returns true if ``update(_:_:_:_:moved:)`` would read the bytes.
    func takes(
        _ input: UnsafeRawPointer?, _ count: Int, _ output: UnsafeMutableRawPointer?, _ available: Int
    ) -> Bool {
        let needed = UInt(bitPattern: outputByteCount(count, final: false))
        return unsafe input != nil && (1...Self.longestPiece).contains(count)
            && needed <= UInt(bitPattern: available) && (needed == 0 || output != nil)
    }

    mutating func update(
        _ input: UnsafeRawPointer?, _ count: Int, _ output: UnsafeMutableRawPointer?, _ available: Int,
        moved: inout Int
    ) -> CCCryptorStatus {
        moved = 0
        guard count != 0 else { return .success }
        let needed = outputByteCount(count, final: false)
        guard UInt(bitPattern: needed) <= UInt(bitPattern: available) else {
            moved = needed
            return .bufferTooSmall
        }
        guard let input = unsafe input, (0...Self.longestPiece).contains(count) else { return .parameter }
        if choice.mode.isStreaming {
            guard let output = unsafe output else { return .parameter }
            let status = unsafe gcm?.update(input, output, count) ?? run(input, output, count)
            if status == .success { moved = count }
            return status
        }
        let total = held.count + count
        let processed = choice.padding.processedByteCount(
            total, blockByteCount: choice.blockByteCount, isEncrypting: choice.isEncrypting)
        guard processed > 0 else {
            unsafe held.append(input, count)
            return .success
        }
        guard let output = unsafe output else { return .parameter }
        let status = unsafe process(processed, input, count, output)
        if status == .success { moved = processed }
        return status
    }

    /// Processes the given number of bytes, from those held and then from the input; holds the others.
    private mutating func process(
        _ processed: Int, _ input: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer
    ) -> CCCryptorStatus {
        guard held.count > 0 else {
            // The held bytes are copied first: the output may lie over the input.
            let rest = count - processed
            if rest == 0 { return unsafe run(input, output, count) }
            unsafe held.append(input + processed, rest)
            let status = unsafe run(input, output, processed)
            if status != .success { held.wipe() }
            return status
        }
        let before = held.count
        let fromHeld = min(before, processed)
        let fromInput = processed - fromHeld
        var first = held.takeFirst(fromHeld)
        defer { first.wipe() }
        unsafe held.append(input + fromInput, count - fromInput)
        // The input moves aside for the held bytes, wherever the two lie, and all of it is processed in place.
        unsafe (output + fromHeld).copyMemory(from: input, byteCount: fromInput)
        unsafe first.copy(into: output)
        return unsafe run(output, output, processed)
    }

    mutating func finish(
        _ output: UnsafeMutableRawPointer?, _ available: Int, moved: inout Int
    ) -> CCCryptorStatus {
        moved = 0
        guard !choice.mode.isStreaming else { return .success }
        switch choice.padding {
        case .none: return held.count == 0 ? .success : .alignment
        case .pkcs7 where choice.isEncrypting: return unsafe pad(output, available, &moved)
        case .pkcs7: return unsafe unpad(output, available, &moved)
        case .stealing: return unsafe steal(output, available, &moved)
        }
    }

    private mutating func pad(
        _ output: UnsafeMutableRawPointer?, _ available: Int, _ moved: inout Int
    ) -> CCCryptorStatus {
        let block = choice.blockByteCount
        guard UInt(bitPattern: available) >= UInt(block) else { return .bufferTooSmall }
        let padding = UInt8(block - held.count)
        return unsafe withLastBytes(block, filledWith: padding) { cryptor, bytes in
            let status = unsafe cryptor.run(bytes, bytes, block)
            guard status == .success else { return status }
            cryptor.held.wipe()
            unsafe Self.give(bytes, block, output, &moved)
            return .success
        }
    }

    /// Removes the padding. A cryptor that has held nothing has decrypted nothing, and outputs nothing.
    private mutating func unpad(
        _ output: UnsafeMutableRawPointer?, _ available: Int, _ moved: inout Int
    ) -> CCCryptorStatus {
        let block = choice.blockByteCount
        guard held.count > 0 else { return .success }
        // Apple's code reads beyond the held bytes.
        guard held.count == block else { return .alignment }
        return unsafe withLastBytes(block, filledWith: 0) { cryptor, bytes in
            var vector = (UInt64(0), UInt64(0))
            let isChained = cryptor.choice.mode == .cbc
            if isChained { unsafe withUnsafeMutableBytes(of: &vector) { unsafe _ = cryptor.readVector(into: $0) } }
            let status = unsafe cryptor.run(bytes, bytes, block)
            guard status == .success else { return status }
            let padding = unsafe CipherPadding.paddingByteCount(
                endingIn: bytes.load(fromByteOffset: block - 1, as: UInt8.self), blockByteCount: block)
            guard UInt(bitPattern: available) >= UInt(block - padding) else {
                // The failed call changes nothing: it may be repeated.
                if isChained { unsafe withUnsafeBytes(of: &vector) { unsafe _ = cryptor.restart(from: $0) } }
                return .bufferTooSmall
            }
            cryptor.held.wipe()
            unsafe Self.give(bytes, block - padding, output, &moved)
            return .success
        }
    }

    /// Fills memory that is wiped with the held bytes and with others behind them.
    func lastBytes(_ bytes: UnsafeMutableRawPointer, _ count: Int, filledWith fill: UInt8) {
        unsafe held.copy(into: bytes)
        unsafe (bytes + held.count).initializeMemory(as: UInt8.self, repeating: fill, count: count - held.count)
    }

    mutating func withLastBytes(
        _ count: Int, filledWith fill: UInt8,
        _ body: (inout Cryptor, UnsafeMutableRawPointer) -> CCCryptorStatus
    ) -> CCCryptorStatus {
        var memory: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
        return unsafe withUnsafeMutableBytes(of: &memory) { memory in
            guard let bytes = memory.baseAddress else { return .memory }
            defer { unsafe lk_wipe(bytes, memory.count) }
            unsafe lastBytes(bytes, count, filledWith: fill)
            return unsafe body(&self, bytes)
        }
    }

    static func give(
        _ bytes: UnsafeRawPointer, _ count: Int, _ output: UnsafeMutableRawPointer?, _ moved: inout Int
    ) {
        guard let output = unsafe output else { return }
        unsafe output.copyMemory(from: bytes, byteCount: count)
        moved = count
    }
}
