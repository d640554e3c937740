import LatchkeyCryptoSuite
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto
@_implementationOnly import CLatchkeyShims

/// The code of a message: HMAC-SHA256 over header and ciphertext, in version 1 over the ciphertext alone.
///
/// libcrypto wipes the key and the running state when the context is freed.
@safe struct CodeStream: ~Copyable {
    private let context: OpaquePointer

    init(key: SecretBox, header: MessageHeader) {
        guard let context = unsafe EVP_MAC_CTX_new(Self.algorithm) else {
            preconditionFailure("no memory left for a code")
        }
        unsafe self.context = unsafe context
        // libcrypto keeps the addresses of both words until it has read them.
        let done = unsafe OSSL_MAC_PARAM_DIGEST.withCString { word in
            var name = Array("SHA2-256".utf8CString)
            return unsafe name.withUnsafeMutableBufferPointer { name in
                var parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(word, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return unsafe key.withBytes { bytes in
                    unsafe EVP_MAC_init(
                        context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count, &parameters)
                }
            }
        }
        precondition(done == 1, "libcrypto starts no HMAC-SHA256")
        guard header.version != .one else { return }
        unsafe header.bytes.withUnsafeBytes { unsafe update($0) }
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
        let done = unsafe EVP_MAC_update(
            context, bytes.assumingMemoryBound(to: UInt8.self).baseAddress, bytes.count)
        precondition(done == 1, "libcrypto runs no HMAC-SHA256")
    }

    /// Writes the code, 32 bytes. No input may follow.
    func finish(into output: UnsafeMutableRawBufferPointer) {
        precondition(output.count >= MessageSize.codeByteCount, "a code has 32 bytes")
        var count = 0
        let done = unsafe EVP_MAC_final(
            context, output.assumingMemoryBound(to: UInt8.self).baseAddress, &count, output.count)
        precondition(done == 1 && count == MessageSize.codeByteCount, "libcrypto ends no HMAC-SHA256")
    }

    /// Compares the code with that of a message, in constant time. No input may follow.
    func isCode(_ code: [UInt8]) -> Bool {
        guard code.count == MessageSize.codeByteCount else { return false }
        return unsafe withUnsafeTemporaryAllocation(byteCount: MessageSize.codeByteCount, alignment: 8) { right in
            unsafe finish(into: right)
            // An attacker wants the right code of an altered message: it does not stay on the stack.
            defer { unsafe wipe(right) }
            return unsafe lk_equal_bytes(right.baseAddress, code, code.count) == 1
        }
    }

    deinit {
        unsafe EVP_MAC_CTX_free(context)
    }

    // Looked up once and never freed; libcrypto counts uses atomically, so sharing it between threads is safe.
    nonisolated(unsafe) private static let algorithm: OpaquePointer? = {
        Libcrypto.begin()
        return unsafe EVP_MAC_fetch(nil, "HMAC", nil)
    }()
}
