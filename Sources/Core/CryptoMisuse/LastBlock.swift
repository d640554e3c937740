/// The last 16 bytes of a ciphertext, which are not secret.
struct LastBlock: Sendable {
    static let byteCount = AuthenticatedBytes.pieceByteCount

    private var bytes: [UInt8] = []

    mutating func append(_ added: UnsafeRawBufferPointer) {
        unsafe bytes += added.suffix(Self.byteCount)
        if bytes.count > Self.byteCount { bytes.removeFirst(bytes.count - Self.byteCount) }
    }

    /// The possible endings of an authenticated text with this ciphertext at its end: its bytes, or their forms as
    /// text. Each has 16 bytes. Empty for less than a block, which cannot be recognised.
    func endings(_ authenticated: AuthenticatedBytes) -> [AuthenticatedBytes.Name] {
        guard bytes.count == Self.byteCount else { return [] }
        var forms = [bytes]
        for digits in [TextForm.lowercaseDigits, TextForm.uppercaseDigits] {
            forms.append(TextForm.hexadecimal(bytes.suffix(8), digits))
        }
        for alphabet in [TextForm.base64, TextForm.base64URL] {
            // Groups of three bytes count from the beginning of the encoded text, which may have other bytes before and
            // after the ciphertext.
            for rest in 0..<3 {
                forms.append(TextForm.base64(bytes.dropLast(rest).suffix(12), alphabet, isPadded: false))
            }
        }
        return forms.map { form in unsafe form.withUnsafeBytes { unsafe authenticated.name(of: $0) } }
    }
}
