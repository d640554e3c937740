import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyEnclaveContract
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory

/// An unwrapped enclave key.
enum OpenEnclaveKey: Sendable {
    case p256(PrivateKey)
    case postQuantum(PostQuantumKey)

    /// Generates a key from the enclave's random source; nil if there is not enough memory.
    init?(new key: NewEnclaveKey, entropy: any Entropy) {
        if let kind = PostQuantumKeyKind(key.kind) {
            guard let made = try? PostQuantumKey(generating: kind, entropy: entropy) else { return nil }
            self = .postQuantum(made)
            return
        }
        // On average, every second point is compact.
        repeat {
            let random = unsafe SecretBox(count: PrivateKey.randomByteCount(.p256)) { unsafe entropy.fill($0) }
            guard let made = try? PrivateKey(curve: .p256, randomBytes: random) else { return nil }
            self = .p256(made)
        } while key == .compactP256 && !CompactPoint.isCompact(publicKey)
    }

    /// Parses the unwrapped secret of a blob; nil if it does not match the public key.
    init?(_ secret: SecretBox, of blob: EnclaveKeyBlob) {
        if let kind = PostQuantumKeyKind(blob.kind) {
            guard let key = try? PostQuantumKey(kind, seed: secret), key.publicKey == blob.publicKey else { return nil }
            self = .postQuantum(key)
        } else {
            guard let key = try? PrivateKey(number: secret, publicKey: blob.publicKey) else { return nil }
            self = .p256(key)
        }
    }

    var publicKey: [UInt8] {
        switch self {
        case .p256(let key): key.publicKey.externalRepresentation
        case .postQuantum(let key): key.publicKey
        }
    }

    /// The part of the key that is wrapped.
    var secret: SecretBox {
        switch self {
        case .p256(let key): key.number
        case .postQuantum(let key): key.seed
        }
    }
}

extension PostQuantumKeyKind {
    /// Returns nil for P-256.
    init?(_ kind: EnclaveKeyKind) {
        switch kind {
        case .p256: return nil
        case .mlkem768: self = .mlkem768
        case .mlkem1024: self = .mlkem1024
        case .mldsa65: self = .mldsa65
        case .mldsa87: self = .mldsa87
        }
    }
}

/// P-256 points that are determined by their x coordinate.
enum CompactPoint {
    /// (p - 1) / 2 for the field prime p of P-256: the largest y that is not larger than p - y.
    private static let half: [UInt8] =
        [0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x00, 0x80] + [UInt8](repeating: 0, count: 11)
        + [0x7F] + [UInt8](repeating: 0xFF, count: 11)

    /// Returns true if y is the smaller of the two values for the point's x.
    static func isCompact(_ uncompressed: [UInt8]) -> Bool {
        !half.lexicographicallyPrecedes(uncompressed.suffix(half.count))
    }
}

extension PrivateKey {
    private static let numberByteCount = 32

    /// Conversion between a P-256 key and the private number in its external representation.
    fileprivate convenience init(number: SecretBox, publicKey: [UInt8]) throws(KeyFailure) {
        let representation = unsafe SecretBox(count: publicKey.count + number.count) { bytes in
            unsafe bytes.copyBytes(from: publicKey)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[publicKey.count...])
            unsafe number.withBytes { unsafe rest.copyMemory(from: $0) }
        }
        try self.init(externalRepresentation: representation, type: .ellipticCurve)
    }

    /// The private number of a P-256 key.
    fileprivate var number: SecretBox {
        let representation = externalRepresentation
        return representation.slice(representation.count - Self.numberByteCount..<representation.count)
    }
}
