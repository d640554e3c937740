import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyEnclaveCore
import LatchkeyPostQuantumKeys
import LatchkeySecretMemory

/// A key of the enclave's own in the open.
enum OpenKey: Sendable {
    case p256(PrivateKey)
    case postQuantum(PostQuantumKey)

    /// What cannot be a new key of its kind for lack of memory is nil.
    init?(new key: NewEnclaveKey, entropy: any Entropy) {
        if let kind = PostQuantumKeyKind(key.kind) {
            guard let made = try? PostQuantumKey(generating: kind, entropy: entropy) else { return nil }
            self = .postQuantum(made)
            return
        }
        // One of two points is compact.
        repeat {
            guard let made = try? PrivateKey(generating: .ellipticCurve(.p256)) else { return nil }
            self = .p256(made)
        } while key == .compactP256 && !CompactPoint.isCompact(publicKey)
    }

    /// The key of a blob, if number or seed and public key belong together.
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

    /// What of it is wrapped.
    var secret: SecretBox {
        switch self {
        case .p256(let key): key.number
        case .postQuantum(let key): key.seed
        }
    }
}

extension PostQuantumKeyKind {
    /// Nil for P-256.
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

/// Points of P-256 that their x coordinate stands for.
enum CompactPoint {
    /// (p - 1) / 2 of the field of P-256: the largest y that is not larger than its negative.
    private static let half: [UInt8] =
        [0x7F, 0xFF, 0xFF, 0xFF, 0x80, 0x00, 0x00, 0x00, 0x80] + [UInt8](repeating: 0, count: 11)
        + [0x7F] + [UInt8](repeating: 0xFF, count: 11)

    /// Whether y is the smaller one of the two that go with the point's x.
    static func isCompact(_ uncompressed: [UInt8]) -> Bool {
        !half.lexicographicallyPrecedes(uncompressed.suffix(half.count))
    }
}

extension PrivateKey {
    private static let numberByteCount = 32

    /// The external representation of a P-256 key taken apart and put together again.
    fileprivate convenience init(number: SecretBox, publicKey: [UInt8]) throws(KeyFailure) {
        let representation = unsafe SecretBox(count: publicKey.count + number.count) { bytes in
            unsafe bytes.copyBytes(from: publicKey)
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[publicKey.count...])
            unsafe number.withBytes { unsafe rest.copyMemory(from: $0) }
        }
        try self.init(externalRepresentation: representation, type: .ellipticCurve)
    }

    /// Of a P-256 key.
    fileprivate var number: SecretBox {
        let representation = externalRepresentation
        return representation.slice(representation.count - Self.numberByteCount..<representation.count)
    }
}
