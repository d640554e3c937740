package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto
@_implementationOnly import CLatchkeyShims

/// AES key wrap of RFC 3394 with the default initial value: 8 bytes longer than the key.
///
/// Implemented here block by block, because libcrypto's own wrap does not use the processor's AES instructions.
package enum AESKeyWrap {
    package static let overhead = 8

    private static let initialValue: UInt64 = 0xA6A6_A6A6_A6A6_A6A6
    private static let rounds = 6

    /// `key` has a multiple of 8 bytes, at least 16.
    package static func wrap(_ key: SecretBox, with wrappingKey: SecretBox) -> [UInt8] {
        precondition(key.count >= 16 && key.count % 8 == 0, "a key to wrap has whole 64-bit blocks")
        return unsafe [UInt8](unsafeUninitializedCapacity: key.count + overhead) { buffer, written in
            let output = UnsafeMutableRawBufferPointer(buffer)
            let words = unsafe UnsafeMutableRawBufferPointer(rebasing: output[overhead...])
            unsafe key.withBytes { unsafe words.copyMemory(from: $0) }
            let check = unsafe transform(words, initialValue, with: wrappingKey, encrypting: true)
            unsafe output.storeBytes(of: check.bigEndian, as: UInt64.self)
            written = output.count
        }
    }

    package static func unwrap(_ wrapped: [UInt8], with wrappingKey: SecretBox) throws(CryptoFailure) -> SecretBox {
        guard wrapped.count >= 24, wrapped.count % 8 == 0 else { throw .badLength(found: wrapped.count) }
        var isAuthentic = false
        let key = unsafe SecretBox(count: wrapped.count - overhead) { words in
            let first = unsafe wrapped.withUnsafeBytes { bytes in
                unsafe words.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[overhead...]))
                return unsafe UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self))
            }
            var found = unsafe transform(words, first, with: wrappingKey, encrypting: false)
            var right = initialValue
            isAuthentic = unsafe lk_equal_bytes(&found, &right, 8) == 1
        }
        guard isAuthentic else { throw .notAuthentic }
        return key
    }

    /// Runs the six rounds over the 64-bit words in place, forwards or backwards; takes and returns the check value
    /// (A).
    private static func transform(
        _ words: UnsafeMutableRawBufferPointer, _ check: UInt64, with wrappingKey: SecretBox, encrypting: Bool
    ) -> UInt64 {
        let context = CipherContext()
        unsafe wrappingKey.withBytes {
            unsafe context.start(cipher(for: $0.count), key: $0, iv: nil, encrypting: encrypting)
        }
        context.withoutPadding()
        let count = words.count / 8
        var check = check
        unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 8) { block in
            for place in 0..<rounds * count {
                let step = encrypting ? place : rounds * count - 1 - place
                let offset = step % count * 8
                let number = UInt64(step + 1)
                unsafe block.storeBytes(of: (encrypting ? check : check ^ number).bigEndian, as: UInt64.self)
                unsafe block.storeBytes(
                    of: words.loadUnaligned(fromByteOffset: offset, as: UInt64.self), toByteOffset: 8, as: UInt64.self)
                unsafe context.transformBlock(block)
                check = unsafe UInt64(bigEndian: block.load(as: UInt64.self))
                if encrypting { check ^= number }
                unsafe words.storeBytes(
                    of: block.load(fromByteOffset: 8, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
            }
            unsafe wipe(block)
        }
        return check
    }

    private static func cipher(for keyByteCount: Int) -> OpaquePointer? {
        switch keyByteCount {
        case 16: unsafe Ciphers.aes128ECB
        case 24: unsafe Ciphers.aes192ECB
        case 32: unsafe Ciphers.aes256ECB
        default: preconditionFailure("an AES key has 16, 24 or 32 bytes")
        }
    }
}
