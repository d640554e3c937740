package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// AES-SIV of RFC 5297 with AES-256: equal texts with equal associated data have equal sealed forms, and nothing else
/// shows. Sealed form: synthetic vector (16) || ciphertext.
///
/// For what has to be found again under its sealed form, as names are. Safe to use from many threads.
package struct AESSIV: Sendable {
    package static let keyByteCount = 64
    package static let overhead = 16

    private let key: SecretBox

    /// - Parameter key: of 64 bytes, for nothing else.
    package init(key: SecretBox) {
        precondition(key.count == Self.keyByteCount, "a key of AES-SIV with AES-256 has 64 bytes")
        self.key = key
    }

    /// Seals a text. No part of the associated data may be empty, nor the text.
    package func seal(_ text: UnsafeRawBufferPointer, associatedData: [[UInt8]]) -> [UInt8] {
        let context = unsafe started(encrypting: true, associatedData)
        return unsafe [UInt8](unsafeUninitializedCapacity: text.count + Self.overhead) { buffer, count in
            let output = UnsafeMutableRawBufferPointer(buffer)
            let body = unsafe UnsafeMutableRawBufferPointer(rebasing: output[Self.overhead...])
            let done = unsafe context.run(text, into: body)
            precondition(done, "libcrypto seals no text")
            unsafe context.readTag(into: UnsafeMutableRawBufferPointer(rebasing: output[..<Self.overhead]))
            count = text.count + Self.overhead
        }
    }

    /// Opens a sealed form into memory of its length less ``overhead``.
    ///
    /// - Returns: false, with the output wiped, for anything that was not sealed with this key and associated data.
    package func open(
        _ sealed: UnsafeRawBufferPointer, associatedData: [[UInt8]], into output: UnsafeMutableRawBufferPointer
    ) -> Bool {
        precondition(output.count == sealed.count - Self.overhead && output.count > 0)
        let context = unsafe started(encrypting: false, associatedData, tag: unsafe sealed.prefix(Self.overhead))
        let body = unsafe UnsafeRawBufferPointer(rebasing: sealed[Self.overhead...])
        guard unsafe context.run(body, into: output) else {
            unsafe wipe(output)
            return false
        }
        return true
    }

    private func started(
        encrypting: Bool, _ associatedData: [[UInt8]], tag: Slice<UnsafeRawBufferPointer>? = nil
    ) -> CipherContext {
        let context = CipherContext()
        unsafe key.withBytes { unsafe context.start(Ciphers.aes256SIV, key: $0, iv: nil, encrypting: encrypting) }
        if let tag = unsafe tag { unsafe context.expect(tag: UnsafeRawBufferPointer(rebasing: tag)) }
        for part in associatedData {
            precondition(!part.isEmpty, "libcrypto passes over an empty part")
            context.authenticate(part)
        }
        return context
    }
}
