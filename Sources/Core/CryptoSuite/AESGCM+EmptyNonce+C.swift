package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

extension AESGCM {
    /// AES-256-GCM with a nonce of no bytes, as the items of backups are sealed: each under a key of its own.
    ///
    /// Without it, two messages under one key would share everything; nothing else may use this. By the definition of GCM
    /// the first counter is then GHASH of zeros, that is 16 zeros: the text is encrypted from counter 1 on, and the tag is
    /// GHASH(ciphertext) ⊕ AES(key, 0). libcrypto takes no empty nonce. It computes the same GHASH for the same ciphertext
    /// under any nonce, and masks it with AES(key, first counter) of that nonce, which can be taken off.
    package enum EmptyNonce {
        /// Ciphertext || tag (16).
        package static func seal(_ plaintext: UnsafeRawBufferPointer, key: SecretBox) -> [UInt8] {
            precondition(key.count == 32, "a key of AES-256 has 32 bytes")
            return unsafe [UInt8](unsafeUninitializedCapacity: plaintext.count + tagByteCount) { buffer, written in
                let output = UnsafeMutableRawBufferPointer(buffer)
                let body = unsafe UnsafeMutableRawBufferPointer(rebasing: output[..<plaintext.count])
                unsafe count(from: firstCounter, key: key, plaintext, into: body)
                let tag = unsafe tag(of: UnsafeRawBufferPointer(body), key: key)
                unsafe UnsafeMutableRawBufferPointer(rebasing: output[plaintext.count...]).copyBytes(from: tag)
                written = plaintext.count + tagByteCount
            }
        }

        package static func open(_ sealed: [UInt8], key: SecretBox) throws(CryptoFailure) -> SecretBox {
            guard sealed.count >= tagByteCount, key.count == 32 else { throw .badLength(found: sealed.count) }
            let outcome = unsafe sealed.withUnsafeBytes { sealed -> SecretBox? in
                let body = unsafe UnsafeRawBufferPointer(rebasing: sealed.dropLast(tagByteCount))
                let expected = unsafe tag(of: body, key: key)
                // The tag is not secret, and an attacker who watches the time has the whole backup.
                guard unsafe sealed.suffix(tagByteCount).elementsEqual(expected) else { return nil }
                return unsafe SecretBox(count: body.count) { output in
                    unsafe count(from: firstCounter, key: key, body, into: output)
                }
            }
            guard let outcome else { throw .notAuthentic }
            return outcome
        }

        private static let firstCounter: [UInt8] = Array(repeating: 0, count: 15) + [1]
        private static let zeros: [UInt8] = Array(repeating: 0, count: 16)
        /// The counters of a nonce of 12 zeros: of the mask, and of the text.
        private static let otherMask = firstCounter
        private static let otherCounter: [UInt8] = Array(repeating: 0, count: 15) + [2]

        private static func tag(of ciphertext: UnsafeRawBufferPointer, key: SecretBox) -> [UInt8] {
            // A text that another nonce turns into this ciphertext.
            let other = unsafe SecretBox(count: max(1, ciphertext.count)) { output in
                unsafe count(
                    from: otherCounter, key: key, ciphertext, into: .init(rebasing: output[..<ciphertext.count]))
            }
            let sealed = unsafe other.withBytes {
                unsafe AESGCM.seal(
                    UnsafeRawBufferPointer(rebasing: $0[..<ciphertext.count]), key: key,
                    nonce: Array(zeros.prefix(nonceByteCount)), associatedData: [])
            }
            let masks = [otherMask, zeros].map { block(from: $0, key: key) }
            return zip(sealed.suffix(tagByteCount), zip(masks[0], masks[1])).map { $0 ^ $1.0 ^ $1.1 }
        }

        /// AES(key, counter).
        private static func block(from counter: [UInt8], key: SecretBox) -> [UInt8] {
            unsafe [UInt8](unsafeUninitializedCapacity: 16) { buffer, written in
                unsafe zeros.withUnsafeBytes { input in
                    unsafe count(from: counter, key: key, input, into: UnsafeMutableRawBufferPointer(buffer))
                }
                written = 16
            }
        }

        /// AES in counter mode. A text is far shorter than the 64 GiB after which GCM's counter of 32 bits differs.
        private static func count(
            from counter: [UInt8], key: SecretBox, _ input: UnsafeRawBufferPointer,
            into output: UnsafeMutableRawBufferPointer
        ) {
            let context = CipherContext()
            unsafe key.withBytes { unsafe context.start(EVP_aes_256_ctr(), key: $0, iv: counter, encrypting: true) }
            unsafe context.run(input, into: output)
        }
    }
}
