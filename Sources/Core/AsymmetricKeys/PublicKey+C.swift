import LatchkeyCryptoSuite
import LatchkeyEncoding

@_implementationOnly import CLatchkeyLibcrypto

/// A public key. Immutable; safe to use from many threads.
@safe package final class PublicKey: Sendable {
    package let kind: KeyKind
    /// RSA: `RSAPublicKey` of PKCS#1 in DER. Elliptic curves: the uncompressed point of X9.63 (Reference 9.3).
    package let externalRepresentation: [UInt8]
    let handle: KeyHandle
    /// For elliptic curves.
    let verifying: VerificationKey?

    private init(_ handle: KeyHandle, _ kind: KeyKind, _ externalRepresentation: [UInt8]) {
        self.handle = handle
        self.kind = kind
        self.externalRepresentation = externalRepresentation
        verifying =
            switch kind {
            case .rsa: nil
            case .ellipticCurve(let curve): VerificationKey(handle, curve, point: externalRepresentation)
            }
    }

    /// Parses an external representation. For elliptic curves the length determines the curve; compressed points are
    /// refused.
    package convenience init(externalRepresentation: [UInt8], type: KeyType) throws(KeyFailure) {
        switch type {
        case .rsa:
            try self.init(rsa: externalRepresentation)
        case .ellipticCurve:
            guard let curve = Curve.allCases.first(where: { $0.pointByteCount == externalRepresentation.count }) else {
                throw .unreadable(reason: "a point of \(externalRepresentation.count) bytes does not match a curve")
            }
            try self.init(point: externalRepresentation, curve)
        }
    }

    /// Makes a key of an uncompressed point.
    convenience init(point: [UInt8], _ curve: Curve) throws(KeyFailure) {
        guard point.count == curve.pointByteCount, point.first == 4 else {
            throw .unreadable(reason: "the bytes are not an uncompressed point")
        }
        // libcrypto checks that the point is on the curve. All these curves have prime order: that is enough.
        let handle = unsafe point.lend { point in
            unsafe KeyHandle(
                .ellipticCurve, isPrivate: false,
                [(KeyNumber.group, .text(curve.groupName)), (KeyNumber.point, .bytes(point))])
        }
        guard let handle else { throw .unreadable(reason: "the point is not on the curve") }
        self.init(handle, .ellipticCurve(curve), point)
    }

    /// Parses an `RSAPublicKey`.
    convenience init(rsa der: [UInt8]) throws(KeyFailure) {
        let (handle, bits) = unsafe try der.lend { bytes throws(KeyFailure) in
            let numbers = unsafe try RSANumbers(bytes, isPrivate: false)
            let handle = unsafe KeyHandle(
                .rsa, isPrivate: false,
                [
                    (KeyNumber.modulus, .number(numbers.modulus)),
                    (KeyNumber.publicExponent, .number(numbers.publicExponent)),
                ])
            return (handle, numbers.bits)
        }
        guard let handle else { throw .unreadable(reason: "libcrypto refuses this RSA key") }
        self.init(handle, .rsa(bits: bits), der)
    }

    /// SHA-1 of the external representation: `kSecAttrApplicationLabel` of both halves, `kSecAttrPublicKeyHash` of
    /// certificates.
    package var digest: [UInt8] { sha1(externalRepresentation) }
}

extension PublicKey: Hashable {
    package static func == (one: PublicKey, other: PublicKey) -> Bool {
        one.kind == other.kind && one.externalRepresentation == other.externalRepresentation
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(externalRepresentation)
    }
}
