@_implementationOnly import CLatchkeyLibcrypto

/// One use of a libcrypto cipher; libcrypto wipes the key schedule when it is freed.
@safe struct CipherContext: ~Copyable {
    private let context: OpaquePointer

    init() {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { preconditionFailure("no memory left for a cipher") }
        unsafe self.context = unsafe context
    }

    /// Starts a cipher. Callers check the lengths; libcrypto then has no reason to refuse.
    func start(_ cipher: OpaquePointer?, key: UnsafeRawBufferPointer, iv: [UInt8]?, encrypting: Bool) {
        let keyStart = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
        let done = unsafe EVP_CipherInit_ex(context, cipher, nil, keyStart, iv, encrypting ? 1 : 0)
        precondition(done == 1, "libcrypto does not start a cipher")
    }

    /// Starts a cipher with an initialization vector in memory of the caller.
    func start(_ cipher: OpaquePointer?, key: UnsafeRawBufferPointer, iv: UnsafeRawBufferPointer, encrypting: Bool) {
        let keyStart = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
        let ivStart = unsafe iv.assumingMemoryBound(to: UInt8.self).baseAddress
        let done = unsafe EVP_CipherInit_ex(context, cipher, nil, keyStart, ivStart, encrypting ? 1 : 0)
        precondition(done == 1, "libcrypto does not start a cipher")
    }

    /// Starts GCM with a key of 16 or 32 bytes and a nonce of 1 to 128 bytes.
    func startGCM(key: UnsafeRawBufferPointer, nonce: UnsafeRawBufferPointer, encrypting: Bool) {
        let cipher = unsafe key.count == 16 ? Ciphers.aes128GCM : Ciphers.aes256GCM
        let keyStart = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
        let nonceStart = unsafe nonce.assumingMemoryBound(to: UInt8.self).baseAddress
        let direction: Int32 = encrypting ? 1 : 0
        let done =
            unsafe EVP_CipherInit_ex(context, cipher, nil, nil, nil, direction) == 1
            && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, Int32(nonce.count), nil) == 1
            && EVP_CipherInit_ex(context, nil, nil, keyStart, nonceStart, direction) == 1
        precondition(done, "libcrypto does not start AES-GCM")
    }

    /// Starts AES-256-GCM with a key that several messages share; each begins with ``restart(nonce:)``.
    func startGCM(key: UnsafeRawBufferPointer, encrypting: Bool) {
        let keyStart = unsafe key.assumingMemoryBound(to: UInt8.self).baseAddress
        let done = unsafe EVP_CipherInit_ex(context, Ciphers.aes256GCM, nil, keyStart, nil, encrypting ? 1 : 0)
        precondition(done == 1, "libcrypto does not start AES-GCM")
    }

    /// Begins the next message under the same key, with a nonce of 12 bytes.
    func restart(nonce: UnsafeRawBufferPointer) {
        let nonceStart = unsafe nonce.assumingMemoryBound(to: UInt8.self).baseAddress
        let done = unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonceStart, -1)
        precondition(done == 1, "libcrypto does not restart AES-GCM")
    }

    /// Turns padding off: the input has whole blocks, each of which is output at once.
    func withoutPadding() {
        unsafe EVP_CIPHER_CTX_set_padding(context, 0)
    }

    /// Transforms one block in place, under a cipher of single blocks (ECB) without padding: without the buffering of a
    /// running text, which takes longer than the block.
    func transformBlock(_ block: UnsafeMutableRawBufferPointer) {
        let bytes = unsafe block.assumingMemoryBound(to: UInt8.self).baseAddress
        let count = unsafe EVP_Cipher(context, bytes, bytes, UInt32(block.count))
        precondition(count > 0, "libcrypto transforms no block")
    }

    func authenticate(_ associatedData: [UInt8]) {
        unsafe associatedData.withUnsafeBytes { unsafe authenticate($0) }
    }

    func authenticate(_ associatedData: UnsafeRawBufferPointer) {
        guard unsafe !associatedData.isEmpty else { return }
        var count: Int32 = 0
        let start = unsafe associatedData.assumingMemoryBound(to: UInt8.self).baseAddress
        let done = unsafe EVP_CipherUpdate(context, nil, &count, start, Int32(associatedData.count))
        precondition(done == 1, "libcrypto takes no associated data")
    }

    /// Runs the whole input through; the output may be the input's own memory.
    @discardableResult
    func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> Bool {
        guard unsafe !input.isEmpty else { return true }
        var count: Int32 = 0
        return unsafe EVP_CipherUpdate(
            context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &count,
            input.assumingMemoryBound(to: UInt8.self).baseAddress, Int32(input.count)) == 1
    }

    func readTag(into tag: UnsafeMutableRawBufferPointer) {
        var count: Int32 = 0
        var rest: (UInt64, UInt64) = (0, 0)
        let done = unsafe withUnsafeMutableBytes(of: &rest) {
            unsafe EVP_CipherFinal_ex(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, &count)
        }
        unsafe precondition(done == 1 && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag.baseAddress) == 1)
    }

    /// Names the tag that a text to be opened has to have, before the text.
    func expect(tag: UnsafeRawBufferPointer) {
        precondition(tag.count == 16)
        unsafe EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_SET_TAG, 16, UnsafeMutableRawPointer(mutating: tag.baseAddress))
    }

    func isAuthentic(_ tag: UnsafeRawBufferPointer) -> Bool {
        precondition(tag.count == 16)
        var count: Int32 = 0
        var rest: (UInt64, UInt64) = (0, 0)
        // libcrypto copies the tag; its one function for all settings takes no pointer to constant bytes.
        unsafe EVP_CIPHER_CTX_ctrl(
            context, EVP_CTRL_AEAD_SET_TAG, 16, UnsafeMutableRawPointer(mutating: tag.baseAddress))
        return unsafe withUnsafeMutableBytes(of: &rest) {
            unsafe EVP_CipherFinal_ex(context, $0.assumingMemoryBound(to: UInt8.self).baseAddress, &count) == 1
        }
    }

    deinit {
        unsafe EVP_CIPHER_CTX_free(context)
    }
}
