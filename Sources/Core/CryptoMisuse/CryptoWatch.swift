import Synchronization

@_implementationOnly import CLatchkeyShims

/// The reports of `CommonCrypto` to its observers: a test kit, or a process that logs its uses.
///
/// An ordinary process has no observer: callers check ``isOn`` first, and then report nothing.
///
/// A context tells apart ciphers or authentication codes that are computed at the same time: an address that no other
/// has then, such as that of the cryptor or of the caller's context. It is never read.
package enum CryptoWatch {
    /// True if there is an observer. One relaxed load.
    package static var isOn: Bool { lk_findings_on() }

    // MARK: Ciphers

    /// A cipher got its key and its first block: when it is made, again at each reset, and with GCM once the IV is
    /// known. Also for a key of a length that is then refused: other bytes of the same number stand for it.
    package static func cipherStarts(_ use: borrowing CipherUse, context: UnsafeRawPointer) {
        unsafe tell(.cipherStarts(copy use, ObservedUse.Context(context)))
    }

    /// Bytes are about to go through a cipher, whose output may overwrite them.
    package static func cipherTakes(_ input: UnsafeRawBufferPointer, context: UnsafeRawPointer) {
        unsafe tell(.cipherTakes(input, ObservedUse.Context(context)))
    }

    /// Bytes came out of a cipher.
    package static func cipherGives(_ output: UnsafeRawBufferPointer, context: UnsafeRawPointer) {
        unsafe tell(.cipherGives(output, ObservedUse.Context(context)))
    }

    /// A cipher is finished, or released: it gives no more output before it starts again. May be called twice.
    package static func cipherEnds(context: UnsafeRawPointer) {
        unsafe tell(.cipherEnds(ObservedUse.Context(context)))
    }

    // MARK: Authentication codes

    /// An authentication code got its key.
    package static func codeStarts(key: UnsafeRawBufferPointer) {
        unsafe tell(.codeStarts(key: key))
    }

    /// Bytes went into an authentication code.
    package static func authenticates(_ bytes: UnsafeRawBufferPointer, context: UnsafeRawPointer) {
        unsafe tell(.authenticates(bytes, ObservedUse.Context(context)))
    }

    /// An authentication code was output; also the tag of a GCM cipher.
    package static func authenticated(_ code: UnsafeRawBufferPointer, context: UnsafeRawPointer) {
        unsafe tell(.authenticated(code, ObservedUse.Context(context)))
    }

    // MARK: Broken digests

    /// Bytes went into MD2, MD4, MD5 or SHA-1.
    package static func digests(_ bytes: UnsafeRawBufferPointer, context: UnsafeRawPointer) {
        unsafe tell(.digests(bytes, ObservedUse.Context(context)))
    }

    /// Such a digest was output.
    package static func digested(_ use: borrowing DigestUse, context: UnsafeRawPointer) {
        unsafe tell(.digested(copy use, ObservedUse.Context(context)))
    }

    // MARK: Keys from passwords

    /// A key was derived from a password.
    package static func derives(_ use: borrowing DerivationUse) {
        tell(.derives(copy use))
    }
}
