import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

/// The content between the lines of a PEM text.
struct KeyPEM {
    let label: String
    let der: SecretBox
    /// True if the legacy encryption of whole blocks was decrypted. It has no check of its own: one wrong passphrase in
    /// 256 also gives bytes.
    let wasEncrypted: Bool

    /// Parses the first block with one of these labels; skips other blocks before it, like OpenSSL. Decrypts the legacy
    /// encryption of whole blocks (`Proc-Type`).
    init(_ text: UnsafeRawBufferPointer, labels: Set<String>, passphrase: SecretBox?) throws(KeyFailure) {
        guard text.count <= KeyForm.textByteLimit else { throw .unsupported(what: "a text of more than 64 KiB") }
        guard text.count > 0 else { throw .unreadable(reason: "no text") }
        let input = unsafe BIO_new_mem_buf(text.baseAddress, Int32(text.count))
        defer {
            unsafe BIO_free(input)
            ERR_clear_error()
        }
        while true {
            var (name, header): (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?) = (nil, nil)
            var (contents, count): (UnsafeMutablePointer<UInt8>?, Int) = (nil, 0)
            let isFound =
                unsafe PEM_read_bio_ex(
                    input, &name, &header, &contents, &count, UInt32(PEM_FLAG_SECURE | PEM_FLAG_EAY_COMPATIBLE)) == 1
            defer {
                unsafe CRYPTO_secure_free(name, #fileID, 0)
                unsafe CRYPTO_secure_free(header, #fileID, 0)
                unsafe CRYPTO_secure_clear_free(contents, count, #fileID, 0)
            }
            guard isFound, let name = unsafe name, let header = unsafe header, let contents = unsafe contents else {
                throw .unreadable(reason: "not a PEM text with \(labels.sorted().joined(separator: " or "))")
            }
            let label = unsafe String(cString: name)
            guard labels.contains(label) else { continue }
            self.label = label
            wasEncrypted = try unsafe Self.decipher(contents, &count, header, passphrase)
            der = unsafe SecretBox(copying: UnsafeRawBufferPointer(start: contents, count: count))
            return
        }
    }

    /// Decrypts the block in place if a header names an encryption; returns false if none does.
    private static func decipher(
        _ contents: UnsafeMutablePointer<UInt8>, _ count: inout Int, _ header: UnsafeMutablePointer<CChar>,
        _ passphrase: SecretBox?
    ) throws(KeyFailure) -> Bool {
        var cipher = unsafe EVP_CIPHER_INFO()
        guard unsafe PEM_get_EVP_CIPHER_INFO(header, &cipher) == 1 else {
            throw .unsupported(what: "a text with this encryption")
        }
        guard unsafe cipher.cipher != nil else { return false }
        guard let passphrase else { throw .passphraseNeeded }
        let answer = PassphraseAnswer(passphrase)
        var length = count
        // Without a callback libcrypto would prompt on the terminal.
        let isOpened = withExtendedLifetime(answer) {
            unsafe PEM_do_header(
                &cipher, contents, &length,
                { buffer, capacity, _, context in
                    guard let context = unsafe context else { return -1 }
                    let answer = unsafe Unmanaged<PassphraseAnswer>.fromOpaque(context).takeUnretainedValue()
                    return unsafe answer.write(to: UnsafeMutableRawBufferPointer(start: buffer, count: Int(capacity)))
                }, Unmanaged.passUnretained(answer).toOpaque()) == 1
        }
        guard isOpened, (0...count).contains(length) else { throw .wrongPassphrase }
        count = length
        return true
    }

    /// Writes the text of DER, with a line end at its end, from locked memory to locked memory.
    static func written(_ label: String, _ der: SecretBox) -> SecretBox {
        let lineByteCount = 48
        let (head, foot) = (Array("-----BEGIN \(label)-----\n".utf8), Array("-----END \(label)-----\n".utf8))
        let lineCount = (der.count + lineByteCount - 1) / lineByteCount
        let bodyCount = (der.count + 2) / 3 * 4 + lineCount
        return unsafe SecretBox(count: head.count + bodyCount + foot.count) { room in
            unsafe room.copyBytes(from: head)
            var place = head.count
            unsafe der.withBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: lineByteCount) {
                    // libcrypto ends its output with a zero, which the line end then replaces.
                    place += unsafe Int(
                        EVP_EncodeBlock(
                            room.baseAddress?.advanced(by: place).assumingMemoryBound(to: UInt8.self),
                            bytes.baseAddress?.advanced(by: start).assumingMemoryBound(to: UInt8.self),
                            Int32(min(lineByteCount, bytes.count - start))))
                    unsafe room[place] = UInt8(ascii: "\n")
                    place += 1
                }
            }
            precondition(place == head.count + bodyCount, "base64 has another length than it should")
            unsafe UnsafeMutableRawBufferPointer(rebasing: room[place...]).copyBytes(from: foot)
        }
    }
}

/// The answer to libcrypto's request for the passphrase of a text.
private final class PassphraseAnswer {
    private let passphrase: SecretBox

    init(_ passphrase: SecretBox) {
        self.passphrase = passphrase
    }

    /// Copies the passphrase into libcrypto's buffer, which libcrypto wipes; -1 if it does not fit.
    func write(to buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        guard passphrase.count <= buffer.count else { return -1 }
        unsafe passphrase.withBytes { unsafe buffer.copyMemory(from: $0) }
        return Int32(passphrase.count)
    }
}
