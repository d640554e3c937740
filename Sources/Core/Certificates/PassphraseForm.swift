import LatchkeySecretMemory

/// What libcrypto is given as the passphrase. Of an empty one there are two forms that PKCS#12 tells apart: programs
/// have written files with either.
@safe enum PassphraseForm {
    case text(SecretBox)
    case empty
    case missing

    static func all(of passphrase: SecretBox) -> [PassphraseForm] {
        passphrase.count == 0 ? [.empty, .missing] : [.text(passphrase)]
    }

    /// Lends the bytes, which no NUL ends.
    func lend<R>(_ body: (UnsafePointer<CChar>?, Int32) -> R) -> R {
        switch self {
        case .text(let secret):
            unsafe secret.withBytes { bytes in
                unsafe body(bytes.assumingMemoryBound(to: CChar.self).baseAddress, Int32(bytes.count))
            }
        case .empty: unsafe "".withCString { unsafe body($0, 0) }
        case .missing: body(nil, 0)
        }
    }
}
