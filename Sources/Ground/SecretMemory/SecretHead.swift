@_implementationOnly import CLatchkeyShims

/// The beginning of the memory in which a secret stands (`lk_secret_head`): it tells which process made it, and whether a
/// `fork` has wiped it.
@safe struct SecretHead {
    private let words: UnsafePointer<UInt64>

    /// - Parameter secret: a secret of at least one byte.
    @inline(__always) init(of secret: UnsafeMutableRawPointer, count: Int) {
        let address = UInt(bitPattern: secret)
        let head =
            SecretArena.isInSlab(count)
            ? address & ~UInt(SecretArena.slabByteCount - 1) : address - UInt(SecretArena.headByteCount)
        guard let words = unsafe UnsafePointer<UInt64>(bitPattern: head) else {
            preconditionFailure("a secret has no address")
        }
        unsafe self.words = unsafe words
    }

    /// True in a child of `fork`, if its parent made the secret and children have zeros in its place.
    @inline(__always) var isWiped: Bool { unsafe words[0] == 0 }

    /// True if this process made the secret.
    var isOwn: Bool { unsafe words[0] == lk_process_mark() }

    /// The arena that the secret is from.
    var kind: SecretArena.Kind? { unsafe SecretArena.Kind(rawValue: words[1]) }

    /// Ends the process if a `fork` has wiped the secret: it would go on with zeros as its key.
    @inline(__always) static func requireSecret(_ secret: UnsafeMutableRawPointer, count: Int) {
        if count > 0, unsafe SecretHead(of: secret, count: count).isWiped { lk_end_for_wiped_secret() }
    }
}
