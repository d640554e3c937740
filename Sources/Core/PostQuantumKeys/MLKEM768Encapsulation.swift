package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// Encapsulation for the owner of an ML-KEM-768 key (FIPS 203).
package enum MLKEM768Encapsulation {
    /// A new secret of ``PostQuantumKey/sharedSecretByteCount`` bytes, and the ciphertext from which the owner of the key
    /// recovers it.
    package struct Encapsulated: Sendable {
        package let secret: SecretBox
        package let ciphertext: [UInt8]
    }

    /// Makes a random secret for the owner of a public key. Returns nil if the bytes are not a valid public key.
    ///
    /// swift-crypto frees its copy of the secret without wiping it, as with decapsulated secrets (``ExpandedKey``).
    package static func encapsulate(for publicKey: [UInt8]) -> Encapsulated? {
        // After the frames of `encapsulated` are gone, the wiped stretch of the stack is where they were.
        defer { lk_wipe_stack() }
        return encapsulated(for: publicKey)
    }
}
