package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// GMAC of NIST SP 800-38D under AES-256: authenticates bytes that come in pieces. A key authenticates one text alone.
package final class RunningGMAC {
    package static let byteCount = 16

    private let context = CipherContext()

    /// - Parameter key: of 32 bytes.
    package init(key: SecretBox) {
        precondition(key.count == 32, "a key of AES-256 has 32 bytes")
        unsafe key.withBytes {
            unsafe context.start(
                Ciphers.aes256GCM, key: $0, iv: [UInt8](repeating: 0, count: AESGCM.nonceByteCount), encrypting: true)
        }
    }

    package func update(_ bytes: UnsafeRawBufferPointer) {
        unsafe context.authenticate(bytes)
    }

    package func finish() -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: Self.byteCount) { buffer, written in
            unsafe context.readTag(into: UnsafeMutableRawBufferPointer(buffer))
            written = Self.byteCount
        }
    }
}
