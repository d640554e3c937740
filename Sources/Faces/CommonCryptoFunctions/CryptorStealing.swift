import CLatchkeyShims
import CommonCrypto

/// Ciphertext stealing: the third variant of NIST's addendum, which Kerberos uses.
extension Cryptor {
    /// Processes the held bytes: the last block and a part, or the last two blocks.
    mutating func steal(
        _ output: UnsafeMutableRawPointer?, _ available: Int, _ moved: inout Int
    ) -> CCCryptorStatus {
        let block = choice.blockByteCount
        let count = held.count
        guard count > 0 else { return .success }
        // There is no block to steal from: Apple's code outputs bytes that cannot be decrypted.
        guard count > block else { return .alignment }
        guard UInt(bitPattern: available) >= UInt(count) else { return .bufferTooSmall }
        return unsafe withLastBytes(2 * block, filledWith: 0) { cryptor, bytes in
            let status =
                unsafe cryptor.choice.isEncrypting
                ? cryptor.encryptLast(bytes, block) : cryptor.decryptLast(bytes, block, count)
            guard status == .success else { return status }
            cryptor.held.wipe()
            unsafe Self.give(bytes, count, output, &moved)
            return .success
        }
    }

    private mutating func encryptLast(_ bytes: UnsafeMutableRawPointer, _ block: Int) -> CCCryptorStatus {
        let status = unsafe run(bytes, bytes, 2 * block)
        unsafe Self.exchange(bytes, block)
        return status
    }

    /// Decrypts the last two blocks. The first is the last of the message, whose end was cut from the other.
    private mutating func decryptLast(
        _ bytes: UnsafeMutableRawPointer, _ block: Int, _ count: Int
    ) -> CCCryptorStatus {
        if count < 2 * block {
            // The missing bytes are those of the first block, decrypted without chaining.
            var vectors: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
            let isDone = unsafe withUnsafeMutableBytes(of: &vectors) { vectors -> Bool in
                defer { unsafe lk_wipe(vectors.baseAddress, vectors.count) }
                let before = unsafe UnsafeMutableRawBufferPointer(rebasing: vectors[..<16])
                guard unsafe readVector(into: before), let plain = unsafe vectors.baseAddress.map({ unsafe $0 + 16 })
                else { return false }
                // The vector of zeros is still in place.
                guard unsafe restart(from: UnsafeRawBufferPointer(rebasing: vectors[16...])),
                    unsafe run(bytes, plain, block) == .success,
                    unsafe restart(from: UnsafeRawBufferPointer(before))
                else { return false }
                let missing = 2 * block - count
                unsafe (bytes + count).copyMemory(from: plain + (block - missing), byteCount: missing)
                return true
            }
            guard isDone else { return .parameter }
        }
        unsafe Self.exchange(bytes, block)
        return unsafe run(bytes, bytes, 2 * block)
    }

    private static func exchange(_ bytes: UnsafeMutableRawPointer, _ block: Int) {
        for index in 0..<block {
            let byte = unsafe bytes.load(fromByteOffset: index, as: UInt8.self)
            unsafe bytes.storeBytes(
                of: bytes.load(fromByteOffset: block + index, as: UInt8.self), toByteOffset: index, as: UInt8.self)
            unsafe bytes.storeBytes(of: byte, toByteOffset: block + index, as: UInt8.self)
        }
    }
}
