package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// AES-256-GCM for many blocks under one key: the key schedule is computed once, and wiped when the cipher is released.
///
/// A cipher either seals or opens. The caller counts the nonces: none may be used twice for sealing under one key. A
/// cipher has one user at a time; it is not `Sendable`.
package final class BlockCipher {
    package enum Direction: Sendable {
        case sealing, opening
    }

    /// A nonce of 12 bytes: a counter and a number that separates uses, both big-endian.
    package struct Nonce: Sendable, Equatable {
        package let counter: UInt64
        package let purpose: UInt32

        package init(counter: UInt64, purpose: UInt32) {
            self.counter = counter
            self.purpose = purpose
        }
    }

    package static let tagByteCount = 16

    private let context = CipherContext()

    /// - Parameter key: of 32 bytes.
    package init(key: SecretBox, direction: Direction) {
        precondition(key.count == 32, "a key of AES-256 has 32 bytes")
        unsafe key.withBytes { key in
            unsafe context.startGCM(key: key, encrypting: direction == .sealing)
        }
    }

    /// Encrypts a block. The output may be the block's own memory; the tag has 16 bytes.
    package func seal(
        _ block: UnsafeRawBufferPointer, nonce: Nonce, into output: UnsafeMutableRawBufferPointer,
        tag: UnsafeMutableRawBufferPointer
    ) {
        precondition(output.count >= block.count && tag.count == Self.tagByteCount)
        restart(nonce)
        let done = unsafe context.run(block, into: output)
        precondition(done, "libcrypto encrypts no block")
        unsafe context.readTag(into: tag)
    }

    /// Decrypts a block. The output may be the block's own memory.
    ///
    /// - Returns: false, with the output wiped, if the block is not the one that was sealed with this nonce and tag.
    package func open(
        _ block: UnsafeRawBufferPointer, nonce: Nonce, tag: UnsafeRawBufferPointer,
        into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(output.count >= block.count && tag.count == Self.tagByteCount)
        restart(nonce)
        guard unsafe context.run(block, into: output), unsafe context.isAuthentic(tag) else {
            unsafe wipe(output)
            return false
        }
        return true
    }

    private func restart(_ nonce: Nonce) {
        var words = (nonce.counter.bigEndian, nonce.purpose.bigEndian)
        unsafe withUnsafeBytes(of: &words) { bytes in
            unsafe context.restart(nonce: UnsafeRawBufferPointer(rebasing: bytes[..<12]))
        }
    }
}
