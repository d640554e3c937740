/// One thing that a program did with `CommonCrypto`. Bytes and keys are lent for the call.
///
/// `Sendable` because nobody keeps it: it is given down the stack, and read before the call returns.
@safe package enum ObservedUse: @unchecked Sendable {
    case cipherStarts(CipherUse, Context)
    case cipherTakes(UnsafeRawBufferPointer, Context)
    case cipherGives(UnsafeRawBufferPointer, Context)
    case cipherEnds(Context)
    /// An authentication code gets its key.
    case codeStarts(key: UnsafeRawBufferPointer)
    case authenticates(UnsafeRawBufferPointer, Context)
    case authenticated(UnsafeRawBufferPointer, Context)
    case derives(DerivationUse)
    case digests(UnsafeRawBufferPointer, Context)
    case digested(DigestUse, Context)
}

extension ObservedUse {
    /// Tells apart what is computed side by side.
    package struct Context: Sendable, Hashable {
        private let address: UInt

        package init(_ pointer: UnsafeRawPointer) {
            address = UInt(bitPattern: pointer)
        }
    }
}

/// One operand of a comparison that stops at the first difference, lent for the call.
///
/// `Sendable` for the reason that ``ObservedUse`` is.
@safe package struct ComparedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }
}
