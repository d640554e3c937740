package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// AES-256-CBC with an initialization vector of zeros, for texts that come in pieces: the files of backups. Each file has a
/// key of its own. Nothing authenticates the text.
package final class RunningCBC {
    package static let blockByteCount = 16

    private let context = CipherContext()

    /// - Parameter key: of 32 bytes.
    package init(key: SecretBox, encrypting: Bool) {
        precondition(key.count == 32, "a key of AES-256 has 32 bytes")
        unsafe key.withBytes {
            unsafe context.start(
                EVP_aes_256_cbc(), key: $0, iv: [UInt8](repeating: 0, count: Self.blockByteCount),
                encrypting: encrypting)
        }
        context.withoutPadding()
    }

    /// Transforms whole blocks; the output may be the input's own memory.
    package func run(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) {
        precondition(input.count % Self.blockByteCount == 0 && output.count >= input.count, "blocks are whole")
        let done = unsafe context.run(input, into: output)
        precondition(done, "libcrypto runs no blocks")
    }

    /// The last block or two of an encrypted text: the rest of the plaintext with its padding (PKCS #7), which is always
    /// there.
    ///
    /// - Parameter rest: less than a block.
    package func finish(_ rest: UnsafeRawBufferPointer) -> [UInt8] {
        precondition(rest.count < Self.blockByteCount, "the rest is less than a block")
        let padding = Self.blockByteCount - rest.count
        let last = unsafe Array(rest) + [UInt8](repeating: UInt8(padding), count: padding)
        return unsafe [UInt8](unsafeUninitializedCapacity: Self.blockByteCount) { buffer, written in
            unsafe last.withUnsafeBytes { unsafe run($0, into: UnsafeMutableRawBufferPointer(buffer)) }
            written = Self.blockByteCount
        }
    }

    /// The number of bytes of padding at the end of a plaintext; nil if there is none.
    package static func padding(of lastBlock: UnsafeRawBufferPointer) -> Int? {
        guard lastBlock.count == blockByteCount, let last = unsafe lastBlock.last, (1...16).contains(last),
            unsafe lastBlock.suffix(Int(last)).allSatisfy({ $0 == last })
        else { return nil }
        return Int(last)
    }
}

/// AES-128-CBC with an initialization vector of zeros and without padding, as older formats wrap keys.
package enum AES128 {
    /// Transforms whole blocks.
    /// - Parameter key: of 16 bytes.
    package static func transform(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, key: SecretBox, encrypting: Bool
    ) {
        precondition(key.count == 16 && input.count % 16 == 0 && output.count >= input.count, "blocks are whole")
        let context = CipherContext()
        unsafe key.withBytes {
            unsafe context.start(
                EVP_aes_128_cbc(), key: $0, iv: [UInt8](repeating: 0, count: 16), encrypting: encrypting)
        }
        context.withoutPadding()
        let done = unsafe context.run(input, into: output)
        precondition(done, "libcrypto runs no blocks")
    }
}
