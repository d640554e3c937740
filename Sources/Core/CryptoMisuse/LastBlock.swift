/// The last 16 bytes of a ciphertext, which is no secret.
struct LastBlock: Sendable {
    static let byteCount = AuthenticatedBytes.pieceByteCount

    private var bytes: [UInt8] = []

    mutating func append(_ added: UnsafeRawBufferPointer) {
        unsafe bytes += added.suffix(Self.byteCount)
        if bytes.count > Self.byteCount { bytes.removeFirst(bytes.count - Self.byteCount) }
    }

    /// What an authenticated text may have at its end if it has this ciphertext there: its bytes, or how they are
    /// written as text. Each in 16 bytes. Empty for less than a block, which nothing can be told of.
    func endings(_ authenticated: AuthenticatedBytes) -> [AuthenticatedBytes.Name] {
        guard bytes.count == Self.byteCount else { return [] }
        var forms = [bytes]
        for digits in [TextForm.lowercaseDigits, TextForm.uppercaseDigits] {
            forms.append(TextForm.hexadecimal(bytes.suffix(8), digits))
        }
        for alphabet in [TextForm.base64, TextForm.base64URL] {
            // Groups of three bytes count from the beginning of what was written, which may have something else in front
            // of the ciphertext, and behind it.
            for rest in 0..<3 {
                forms.append(TextForm.base64(bytes.dropLast(rest).suffix(12), alphabet, isPadded: false))
            }
        }
        return forms.map { form in unsafe form.withUnsafeBytes { unsafe authenticated.name(of: $0) } }
    }
}
