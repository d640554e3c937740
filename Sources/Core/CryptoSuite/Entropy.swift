@_implementationOnly import CLatchkeyShims

/// A source of random bytes. Core code takes one as an argument, so that a virtual device can be seeded.
package protocol Entropy: Sendable {
    func fill(_ bytes: UnsafeMutableRawBufferPointer)
}

extension Entropy {
    /// Returns random bytes that are not secret: nonces, salts, identifiers.
    package func bytes(_ count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            unsafe fill(UnsafeMutableRawBufferPointer(buffer))
            written = count
        }
    }
}

/// The kernel's random source.
package struct SystemEntropy: Entropy {
    package init() {}

    package func fill(_ bytes: UnsafeMutableRawBufferPointer) {
        guard let start = bytes.baseAddress, unsafe !bytes.isEmpty else { return }
        // Fails only where the system call is forbidden; keys made of anything else would be worthless.
        unsafe precondition(lk_random(start, bytes.count) == 0, "the kernel gives no random bytes")
    }
}
