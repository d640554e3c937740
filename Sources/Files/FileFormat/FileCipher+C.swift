#if PostQuantum
internal import LatchkeyCryptoSuite
internal import LatchkeySecretMemory

@_implementationOnly import CCryptoBoringSSL

/// AES-256-GCM for the blocks of a file, computed by the library below swift-crypto: on processors with wide vectors it
/// takes two fifths of the time of libcrypto 3.0.
///
/// A cipher has one user at a time; it is not `Sendable`. The caller counts the nonces: none may be used twice for
/// sealing under one key. The key schedule is wiped when the cipher is released.
@safe final class FileCipher {
    /// A cipher of either direction is the same here.
    typealias Direction = BlockCipher.Direction
    typealias Nonce = BlockCipher.Nonce

    private let context: UnsafeMutablePointer<EVP_AEAD_CTX>

    private static let nonceByteCount = 12
    private static let tagByteCount = BlockCipher.tagByteCount

    /// - Parameter key: of 32 bytes.
    init(key: SecretBox, direction _: Direction) {
        precondition(key.count == 32, "a key of AES-256 has 32 bytes")
        let context = unsafe key.withBytes { key in
            unsafe CCryptoBoringSSL_EVP_AEAD_CTX_new(
                CCryptoBoringSSL_EVP_aead_aes_256_gcm(), key.assumingMemoryBound(to: UInt8.self).baseAddress,
                key.count, Self.tagByteCount)
        }
        guard let context = unsafe context else { preconditionFailure("no memory left for a cipher") }
        unsafe self.context = unsafe context
    }

    deinit {
        unsafe CCryptoBoringSSL_EVP_AEAD_CTX_free(context)
    }

    /// Encrypts a block. The output may be the block's own memory; the tag has 16 bytes.
    func seal(
        _ block: UnsafeRawBufferPointer, nonce: Nonce, into output: UnsafeMutableRawBufferPointer,
        tag: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count >= block.count && tag.count == Self.tagByteCount)
        var tagCount = 0
        let done = unsafe withBytes(of: nonce) { nonce in
            unsafe CCryptoBoringSSL_EVP_AEAD_CTX_seal_scatter(
                context, output.assumingMemoryBound(to: UInt8.self).baseAddress,
                tag.assumingMemoryBound(to: UInt8.self).baseAddress, &tagCount, tag.count,
                nonce, Self.nonceByteCount, block.assumingMemoryBound(to: UInt8.self).baseAddress, block.count,
                nil, 0, nil, 0)
        }
        precondition(done == 1 && tagCount == tag.count, "the library encrypts no block")
    }

    /// Decrypts a block. The output may be the block's own memory.
    ///
    /// - Returns: false, with the output wiped, if the block is not the one that was sealed with this nonce and tag.
    func open(
        _ block: UnsafeRawBufferPointer, nonce: Nonce, tag: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(output.count >= block.count && tag.count == Self.tagByteCount)
        let done = unsafe withBytes(of: nonce) { nonce in
            unsafe CCryptoBoringSSL_EVP_AEAD_CTX_open_gather(
                context, output.assumingMemoryBound(to: UInt8.self).baseAddress, nonce, Self.nonceByteCount,
                block.assumingMemoryBound(to: UInt8.self).baseAddress, block.count,
                tag.assumingMemoryBound(to: UInt8.self).baseAddress, tag.count, nil, 0)
        }
        guard done == 1 else {
            // Else it would be the reason of this thread's next failure.
            CCryptoBoringSSL_ERR_clear_error()
            unsafe wipe(output)
            return false
        }
        return true
    }

    private func withBytes<R>(of nonce: Nonce, _ body: (UnsafePointer<UInt8>?) -> R) -> R {
        var words = (nonce.counter.bigEndian, nonce.purpose.bigEndian)
        return unsafe withUnsafeBytes(of: &words) { bytes in
            unsafe body(bytes.assumingMemoryBound(to: UInt8.self).baseAddress)
        }
    }
}
#else
internal import LatchkeyCryptoSuite

/// Without swift-crypto libcrypto computes the blocks.
typealias FileCipher = BlockCipher
#endif
