import LatchkeyCryptoSuite
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// AES-256-CBC with PKCS#7 padding over pieces of any size.
///
/// libcrypto keeps an incomplete block (when decrypting, up to a whole block, which may be the padding) and wipes it
/// with the key schedule when the context is freed.
@safe struct CipherStream: ~Copyable {
    private let context: OpaquePointer

    init(key: SecretBox, initialisationVector: [UInt8], encrypting: Bool) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("no memory left for a cipher") }
        unsafe self.context = unsafe context
        precondition(
            key.count == MessageKeys.byteCount && initialisationVector.count == MessageHeader.vectorByteCount,
            "AES-256 has keys of 32 bytes and blocks of 16")
        let done = unsafe key.withBytes { bytes in
            unsafe EVP_CipherInit_ex2(
                context, Self.algorithm, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, initialisationVector,
                encrypting ? 1 : 0, nil)
        }
        precondition(done == 1, "libcrypto starts no AES-256-CBC")
    }

    /// Processes a piece of less than 2 GiB and returns the number of output bytes, for which the output must have
    /// room.
    func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Int {
        guard unsafe !input.isEmpty else { return 0 }
        var count: Int32 = 0
        let done = unsafe EVP_CipherUpdate(
            context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &count,
            input.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(input.count))
        precondition(done == 1, "libcrypto runs no AES-256-CBC")
        return Int(count)
    }

    /// Outputs the last block, at most 16 bytes. Nil if its padding is not valid, or the block is incomplete.
    func finish(into output: UnsafeMutableRawBufferPointer) -> Int? {
        var count: Int32 = 0
        let done = unsafe EVP_CipherFinal_ex(
            context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &count)
        guard done == 1 else {
            ERR_clear_error()
            return nil
        }
        return Int(count)
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }

    // Looked up once and never freed; libcrypto counts uses atomically, so sharing it between threads is safe.
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = {
        Libcrypto.begin()
        return unsafe EVP_CIPHER_fetch(nil, "AES-256-CBC", nil)
    }()
}
