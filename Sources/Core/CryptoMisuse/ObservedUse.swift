/// One use of `CommonCrypto`. Bytes and keys are valid only during the call.
///
/// `Sendable` because it is never stored: it is passed down the stack, and read before the call returns.
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
    /// Tells apart computations that run at the same time.
    package struct Context: Sendable, Hashable {
        private let address: UInt

        package init(_ pointer: UnsafeRawPointer) {
            address = UInt(bitPattern: pointer)
        }
    }
}

/// One operand of a comparison that stops at the first difference, valid only during the call.
///
/// `Sendable` for the same reason as ``ObservedUse``.
@safe package struct ComparedBytes: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer

    package init(_ bytes: UnsafeRawBufferPointer) {
        unsafe self.bytes = unsafe bytes
    }
}
