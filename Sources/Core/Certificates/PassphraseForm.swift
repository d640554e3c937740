import LatchkeySecretMemory

/// The form of a passphrase for libcrypto. PKCS#12 distinguishes two forms of an empty one: programs have written files
/// with either.
@safe enum PassphraseForm {
    case text(SecretBox)
    case empty
    case missing

    static func all(of passphrase: SecretBox) -> [PassphraseForm] {
        passphrase.count == 0 ? [.empty, .missing] : [.text(passphrase)]
    }

    /// Calls `body` with the bytes, which have no NUL at the end.
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
