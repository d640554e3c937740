import CLatchkeyShims
package import CommonCrypto

@c @implementation
package func CCCrypt(
    _ op: CCOperation, _ alg: CCAlgorithm, _ options: CCOptions, _ key: UnsafeRawPointer!, _ keyLength: Int,
    _ iv: UnsafeRawPointer!, _ dataIn: UnsafeRawPointer!, _ dataInLength: Int, _ dataOut: UnsafeMutableRawPointer!,
    _ dataOutAvailable: Int, _ dataOutMoved: UnsafeMutablePointer<Int>!
) -> CCCryptorStatus {
    guard let key = unsafe key else { return .parameter }
    do throws(CryptorRefusal) {
        let choice = try CipherChoice(op, alg, options: options)
        guard choice.direction != .both else { throw CryptorRefusal(.parameter) }
        var message = unsafe WholeMessage(
            choice: choice, input: dataIn, count: dataInLength, output: dataOut, available: dataOutAvailable)
        guard choice.algorithm.takesKey(ofByteCount: keyLength) else {
            unsafe WatchedKey.starting(choice, key: key, keyByteCount: keyLength, iv: iv)?.release()
            return .keySize
        }
        let status = unsafe message.run(key, keyLength, iv)
        unsafe dataOutMoved?.pointee = message.moved
        return status
    } catch {
        return error.status
    }
}

/// A message that is processed in one call and not kept anywhere.
@safe private struct WholeMessage {
    let choice: CipherChoice
    let input: UnsafeRawPointer?
    let count: Int
    let output: UnsafeMutableRawPointer?
    let available: Int
    var moved = 0

    init(
        choice: CipherChoice, input: UnsafeRawPointer?, count: Int, output: UnsafeMutableRawPointer?, available: Int
    ) {
        self.choice = choice
        unsafe self.input = unsafe input
        self.count = count
        unsafe self.output = unsafe output
        self.available = available
    }

    mutating func run(_ key: UnsafeRawPointer, _ keyByteCount: Int, _ iv: UnsafeRawPointer?) -> CCCryptorStatus {
        let needed = Int(bitPattern: choice.outputByteCount(UInt(bitPattern: count), final: true))
        guard UInt(bitPattern: needed) <= UInt(bitPattern: available) else {
            moved = needed
            return .bufferTooSmall
        }
        guard (0...Cryptor.longestPiece).contains(count), unsafe count == 0 || input != nil else { return .parameter }
        guard unsafe needed == 0 || output != nil else { return .parameter }
        // A call that only asks for the size does not use the key.
        let watched = unsafe WatchedKey.starting(choice, key: key, keyByteCount: keyByteCount, iv: iv)
        defer { watched?.release() }
        do throws(CryptorRefusal) {
            var engine = unsafe try CipherEngine(
                choice, key: key, keyByteCount: keyByteCount, iv: iv, isEncrypting: choice.isEncrypting)
            defer { engine.release() }
            unsafe watched?.takes(input, count)
            let status = pass(&engine)
            if status == .success { unsafe watched?.gives(output, moved) }
            return status
        } catch {
            return error.status
        }
    }

    private mutating func pass(_ engine: inout CipherEngine) -> CCCryptorStatus {
        let block = choice.blockByteCount
        guard choice.padding == .pkcs7, !choice.mode.isStreaming else {
            let whole = choice.mode.isStreaming ? count : count / block * block
            guard whole > 0 else { return count == 0 ? .success : .alignment }
            guard let input = unsafe input, let output = unsafe output,
                unsafe engine.run(input, output, whole)
            else { return .parameter }
            moved = whole
            return whole == count ? .success : .alignment
        }
        // A decryption without input gives no output.
        guard count > 0 || choice.isEncrypting else { return .success }
        if count <= Self.shortByteCount, choice.isEncrypting || count % block == 0 { return passShort(&engine) }
        let whole = choice.isEncrypting ? count / block * block : (count - 1) / block * block
        return passPadded(&engine, whole, count - whole)
    }

    private static let shortByteCount = 256

    /// Processes a short message and its padding in one piece: a call of libcrypto costs more than its blocks.
    private mutating func passShort(_ engine: inout CipherEngine) -> CCCryptorStatus {
        let block = choice.blockByteCount
        let total = choice.isEncrypting ? count / block * block + block : count
        return unsafe withUnsafeTemporaryAllocation(byteCount: Self.shortByteCount + 16, alignment: 16) { memory in
            guard let start = memory.baseAddress, let output = unsafe output else { return .parameter }
            defer { unsafe lk_wipe(start, total) }
            if let input = unsafe input { unsafe start.copyMemory(from: input, byteCount: count) }
            guard !choice.isEncrypting else {
                unsafe (start + count).initializeMemory(
                    as: UInt8.self, repeating: UInt8(total - count), count: total - count)
                guard unsafe engine.run(start, output, total) else { return .parameter }
                moved = total
                return .success
            }
            guard unsafe engine.run(start, start, total) else { return .parameter }
            let padding = unsafe CipherPadding.paddingByteCount(
                endingIn: start.load(fromByteOffset: total - 1, as: UInt8.self), blockByteCount: block)
            unsafe output.copyMemory(from: start, byteCount: total - padding)
            moved = total - padding
            return .success
        }
    }

    /// Processes the last block apart from the others: it gets padding, or may contain it.
    private mutating func passPadded(_ engine: inout CipherEngine, _ whole: Int, _ rest: Int) -> CCCryptorStatus {
        let block = choice.blockByteCount
        var memory = (UInt64(0), UInt64(0))
        return unsafe withUnsafeMutableBytes(of: &memory) { memory in
            guard let last = memory.baseAddress, let output = unsafe output else { return .parameter }
            defer { unsafe lk_wipe(last, 16) }
            // The input is copied first: the output may lie over it.
            if let input = unsafe input {
                unsafe last.copyMemory(from: input + whole, byteCount: rest)
                guard unsafe whole == 0 || engine.run(input, output, whole) else { return .parameter }
            }
            moved = whole
            guard !choice.isEncrypting else {
                unsafe (last + rest).initializeMemory(
                    as: UInt8.self, repeating: UInt8(block - rest), count: block - rest)
                guard unsafe engine.run(last, output + whole, block) else { return .parameter }
                moved += block
                return .success
            }
            guard rest == block else { return .alignment }
            guard unsafe engine.run(last, last, block) else { return .parameter }
            let padding = unsafe CipherPadding.paddingByteCount(
                endingIn: last.load(fromByteOffset: block - 1, as: UInt8.self), blockByteCount: block)
            unsafe (output + whole).copyMemory(from: last, byteCount: block - padding)
            moved += block - padding
            return .success
        }
    }
}
