package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto
@_implementationOnly import CLatchkeyShims

/// HMAC-SHA256 under a key that stays in locked memory.
package enum HMACSHA256 {
    package static let byteCount = 32

    /// Computes the code over a message that is not secret.
    package static func code(over message: [UInt8], key: SecretBox) -> [UInt8] {
        unsafe message.withUnsafeBytes { bytes in
            unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, written in
                unsafe key.withBytes { unsafe write(over: bytes, key: $0, into: UnsafeMutableRawBufferPointer(buffer)) }
                written = byteCount
            }
        }
    }

    /// Computes the code as a secret: for deriving keys.
    package static func secret(over message: UnsafeRawBufferPointer, key: SecretBox) -> SecretBox {
        unsafe SecretBox(count: byteCount) { output in
            unsafe key.withBytes { unsafe write(over: message, key: $0, into: output) }
        }
    }

    package static func secret(over message: [UInt8], key: SecretBox) -> SecretBox {
        unsafe message.withUnsafeBytes { unsafe secret(over: $0, key: key) }
    }

    /// Compares in constant time.
    package static func isCode(_ code: [UInt8], over message: [UInt8], key: SecretBox) -> Bool {
        let right = self.code(over: message, key: key)
        return unsafe code.count == right.count && lk_equal_bytes(code, right, right.count) == 1
    }

    /// Computes RFC 2104 over the digest: libcrypto's own HMAC looks its parts up by name each time, which takes longer
    /// than the code itself.
    private static func write(
        over message: UnsafeRawBufferPointer, key: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        unsafe withUnsafeTemporaryAllocation(byteCount: blockByteCount + byteCount, alignment: 8) { scratch in
            let context = DigestContext()
            let block = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[..<blockByteCount])
            let inner = unsafe UnsafeMutableRawBufferPointer(rebasing: scratch[blockByteCount...])
            unsafe block.initializeMemory(as: UInt8.self, repeating: 0)
            if key.count > blockByteCount {
                unsafe context.digest(key, UnsafeRawBufferPointer(start: nil, count: 0), into: block)
            } else {
                unsafe block.copyMemory(from: key)
            }
            for index in block.indices { unsafe block[index] ^= 0x36 }
            unsafe context.digest(UnsafeRawBufferPointer(block), message, into: inner)
            for index in block.indices { unsafe block[index] ^= 0x36 ^ 0x5C }
            unsafe context.digest(UnsafeRawBufferPointer(block), UnsafeRawBufferPointer(inner), into: output)
            unsafe wipe(scratch)
        }
    }

    private static let blockByteCount = 64
}

/// SHA-256, several times over. libcrypto wipes the running state.
@safe private struct DigestContext: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let context = unsafe EVP_MD_CTX_new() else { preconditionFailure("no memory left for a digest") }
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe EVP_MD_CTX_free(context)
    }

    /// Digests two parts as one message.
    func digest(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) {
        let done =
            unsafe EVP_DigestInit_ex2(context, DigestAlgorithm.sha256.implementation, nil) == 1
            && EVP_DigestUpdate(context, first.baseAddress, first.count) == 1
            && EVP_DigestUpdate(context, second.baseAddress, second.count) == 1
            && EVP_DigestFinal_ex(context, output.assumingMemoryBound(to: UInt8.self).baseAddress, nil) == 1
        precondition(done, "libcrypto computes no SHA-256")
    }
}
