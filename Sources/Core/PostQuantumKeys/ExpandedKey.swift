#if PostQuantum
import Crypto
import FoundationEssentials
import LatchkeySecretMemory

@_implementationOnly import CLatchkeyShims

/// An expanded key of swift-crypto, alive for one use.
///
/// Its interface forces copies: the seed, in a `Data`; the whole key, in an object; one more `Data` of a decapsulated
/// secret; and the data that its C functions leave on the stack. The seed's copy and the stack are wiped here after
/// each use. The object (7 to 34 KiB) and the copy of a secret (32 bytes) are freed and not wiped: no interface reaches
/// them. A process that keeps keys should therefore overwrite the memory that it frees (`lk_overwrite_freed_memory`),
/// like the enclave; that covers the object, but not the 32 bytes.
protocol ExpandedKey {
    init(seedBytes: UnsafeBufferPointer<UInt8>) throws

    /// Shares its storage with the key's own copy.
    var seedRepresentation: Data { get }
    var publicBytes: [UInt8] { get }
}

/// A key that signs.
protocol ExpandedSigningKey: ExpandedKey {
    func signature(over message: [UInt8], contextString: [UInt8]) throws -> Data
}

/// A key that opens ciphertexts.
protocol ExpandedDecapsulationKey: ExpandedKey {
    func secret(in ciphertext: [UInt8]) throws -> SymmetricKey
}

extension ExpandedKey {
    static func withKey<Result>(
        from seed: SecretBox, _ use: (Self) throws -> Result
    ) throws(PostQuantumFailure) -> Result {
        // After the frames of `used` are gone, the wiped stretch of the stack is where they were.
        defer { lk_wipe_stack() }
        return try used(from: seed, use)
    }

    @inline(never)
    private static func used<Result>(
        from seed: SecretBox, _ use: (Self) throws -> Result
    ) throws(PostQuantumFailure) -> Result {
        do {
            return try unsafe seed.withBytes { bytes in
                let key = try unsafe Self(seedBytes: bytes.assumingMemoryBound(to: UInt8.self))
                defer { key.wipeSeed() }
                return try use(key)
            }
        } catch {
            throw .library("\(error)")
        }
    }

    /// Wipes the seed, which is no longer needed once the key is expanded.
    func wipeSeed() {
        unsafe seedRepresentation.withUnsafeBytes { unsafe wipe(UnsafeMutableRawBufferPointer(mutating: $0)) }
    }
}

extension ExpandedSigningKey {
    func signed(_ message: [UInt8], _ contextString: [UInt8]) throws -> [UInt8] {
        Array(try signature(over: message, contextString: contextString))
    }
}

extension ExpandedDecapsulationKey {
    func opened(_ ciphertext: [UInt8]) throws -> SecretBox {
        unsafe try secret(in: ciphertext).withUnsafeBytes { unsafe SecretBox(copying: $0) }
    }
}
#endif
