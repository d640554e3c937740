import CLatchkeyLibcrypto

/// GCM over single blocks of AES, for the IVs that libcrypto's cipher does not accept: empty and long ones.
///
/// libcrypto also has the mode apart from the cipher; each block is then a call, which is ten times slower.
@safe struct GCMBlocks {
    private let blocks: OpaquePointer
    private let mode: OpaquePointer

    init?(key: UnsafeRawPointer, keyByteCount: Int) {
        let cipher = unsafe AESCipher.fetched(.ecb, keyByteCount: keyByteCount)
        guard let cipher = unsafe cipher, let blocks = unsafe EVP_CIPHER_CTX_new() else { return nil }
        let isReady =
            unsafe EVP_CipherInit_ex2(blocks, cipher, key.assumingMemoryBound(to: UInt8.self), nil, 1, nil) == 1
        let mode = unsafe CRYPTO_gcm128_new(UnsafeMutableRawPointer(blocks)) { input, output, context in
            guard let context = unsafe context else { return }
            _ = unsafe EVP_Cipher(OpaquePointer(context), output, input, 16)
        }
        guard isReady, let mode = unsafe mode else {
            unsafe EVP_CIPHER_CTX_free(blocks)
            return nil
        }
        unsafe self.blocks = unsafe blocks
        unsafe self.mode = unsafe mode
    }

    func release() {
        unsafe CRYPTO_gcm128_release(mode)
        unsafe EVP_CIPHER_CTX_free(blocks)
    }

    func start(_ iv: UnsafeRawPointer?, _ count: Int) {
        unsafe CRYPTO_gcm128_setiv(mode, iv?.assumingMemoryBound(to: UInt8.self), count)
    }

    func authenticate(_ data: UnsafeRawPointer, _ count: Int) -> Bool {
        unsafe CRYPTO_gcm128_aad(mode, data.assumingMemoryBound(to: UInt8.self), count) == 0
    }

    func update(
        _ input: UnsafeRawPointer, _ output: UnsafeMutableRawPointer, _ count: Int, isEncrypting: Bool
    ) -> Bool {
        let from = unsafe input.assumingMemoryBound(to: UInt8.self)
        let to = unsafe output.assumingMemoryBound(to: UInt8.self)
        return unsafe isEncrypting
            ? CRYPTO_gcm128_encrypt(mode, from, to, count) == 0 : CRYPTO_gcm128_decrypt(mode, from, to, count) == 0
    }

    func finish(_ tag: UnsafeMutableRawPointer) {
        unsafe CRYPTO_gcm128_tag(mode, tag.assumingMemoryBound(to: UInt8.self), GCMEngine.tagByteCount)
    }
}
