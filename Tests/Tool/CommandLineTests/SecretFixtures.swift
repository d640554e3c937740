import LatchkeySecretMemory

extension SecretBox {
    /// A secret from a test's text.
    convenience init(_ text: String) {
        self.init(copying: Array(text.utf8))
    }

    /// The secret as text, for comparing in tests.
    var text: String { withBytes { String(decoding: $0, as: UTF8.self) } }
}

/// Lends a text's bytes, as a reader of files gets them.
func withBytes<R>(_ text: String, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try Array(text.utf8).withUnsafeBytes(body)
}
