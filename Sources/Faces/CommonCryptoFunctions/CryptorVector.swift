import CommonCrypto

/// The initialization vector of a cryptor that has one.
extension Cryptor {
    /// Returns to the beginning of a message; nil is a vector of zeros. Held bytes are forgotten.
    mutating func reset(_ iv: UnsafeRawPointer?) -> CCCryptorStatus {
        guard choice.mode == .cbc || choice.mode == .ctr else { return .unimplemented }
        held.wipe()
        var zeros = (UInt64(0), UInt64(0))
        return unsafe withUnsafeBytes(of: &zeros) { zeros in
            guard let start = unsafe iv ?? zeros.baseAddress else { return .memory }
            return unsafe restart(from: UnsafeRawBufferPointer(start: start, count: choice.blockByteCount))
                ? .success : .memory
        }
    }

    /// Restarts the engine of the chosen direction, or both of a cryptor for both.
    mutating func restart(from iv: UnsafeRawBufferPointer) -> Bool {
        guard let start = iv.baseAddress else { return false }
        let mode = choice.mode
        let isEncrypting = choice.direction != .decrypting
        let isDecrypting = choice.direction != .encrypting
        return unsafe (!isEncrypting || encryption?.restart(mode, iv: start) == true)
            && (!isDecrypting || decryption?.restart(mode, iv: start) == true)
    }

    /// Reads the block that CBC chains to the next one; `iv` must have room for it.
    @discardableResult
    func readVector(into iv: UnsafeMutableRawBufferPointer) -> Bool {
        guard choice.mode == .cbc, let start = iv.baseAddress else { return false }
        let engine = choice.direction == .decrypting ? decryption : encryption
        return unsafe engine?.readVector(into: start) == true
    }
}
