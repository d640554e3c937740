import LatchkeyCryptoSuite
import LatchkeyEncoding
package import LatchkeySecretMemory

/// A private key. The numbers stay inside libcrypto, which wipes them when the last owner releases it. Safe to use from
/// many threads.
package final class PrivateKey: PrivateKeyOperations {
    package let publicKey: PublicKey
    let handle: KeyHandle
    let signing: KeyContexts
    let agreeing: KeyContexts

    init(_ handle: KeyHandle, _ publicKey: PublicKey) {
        self.handle = handle
        self.publicKey = publicKey
        signing = KeyContexts(handle, .sign)
        agreeing = KeyContexts(handle, .agree)
    }

    /// Makes a random key; RSA with the exponent 65537. Blocks meanwhile, for large RSA keys seconds.
    package convenience init(generating kind: KeyKind) throws(KeyFailure) {
        if case .rsa(let bits) = kind, !KeyKind.rsaBits.contains(bits) {
            throw .unsupported(what: "RSA keys of \(bits) bits")
        }
        guard let handle = KeyHandle(generating: kind) else { throw .unsupported(what: "making this key") }
        let publicKey =
            switch kind {
            case .rsa(let bits):
                try PublicKey(rsa: Self.publicForm(of: handle, bits: bits))
            case .ellipticCurve(let curve):
                try PublicKey(point: handle.bytes(KeyNumber.point, byteCount: curve.pointByteCount), curve)
            }
        self.init(handle, publicKey)
    }

    /// RSA: `RSAPrivateKey` of PKCS#1 in DER, two primes. Elliptic curves: 04, x, y, k.
    package convenience init(externalRepresentation: SecretBox, type: KeyType) throws(KeyFailure) {
        switch type {
        case .rsa:
            let parts = try unsafe externalRepresentation.withBytes { bytes throws(KeyFailure) in
                try unsafe Self.rsa(bytes)
            }
            self.init(parts.0, parts.1)
        case .ellipticCurve:
            let parts = try unsafe externalRepresentation.withBytes { bytes throws(KeyFailure) in
                guard
                    let curve = Curve.allCases.first(where: {
                        $0.pointByteCount + $0.coordinateByteCount == bytes.count
                    })
                else { throw .unreadable(reason: "a private key of \(bytes.count) bytes does not match a curve") }
                let point = unsafe [UInt8](bytes.prefix(curve.pointByteCount))
                let number = unsafe UnsafeRawBufferPointer(rebasing: bytes.dropFirst(curve.pointByteCount))
                return try unsafe Self.ellipticCurve(curve, number, try PublicKey(point: point, curve))
            }
            self.init(parts.0, parts.1)
        }
    }

    /// Parses the key of an `RSAPrivateKey`.
    static func rsa(_ der: UnsafeRawBufferPointer) throws(KeyFailure) -> (KeyHandle, PublicKey) {
        let numbers = unsafe try RSANumbers(der, isPrivate: true)
        try numbers.checkPrivateNumbers()
        var parameters = unsafe [
            (name: KeyNumber.modulus, value: KeyHandle.Parameter.number(numbers.modulus)),
            (KeyNumber.publicExponent, .number(numbers.publicExponent)),
        ]
        for (index, name) in KeyNumber.ofPrivateRSA.enumerated() {
            unsafe parameters.append((name, .number(numbers.secrets[index])))
        }
        guard let handle = KeyHandle(.rsa, isPrivate: true, parameters) else {
            throw .unreadable(reason: "libcrypto refuses this RSA key")
        }
        return (handle, try PublicKey(rsa: publicForm(of: handle, bits: numbers.bits)))
    }

    /// Makes the key of a private number. A public half, if given, must be that of the number.
    static func ellipticCurve(
        _ curve: Curve, _ number: UnsafeRawBufferPointer, _ told: PublicKey?
    ) throws(KeyFailure) -> (KeyHandle, PublicKey) {
        guard number.count <= curve.coordinateByteCount,
            let point = unsafe EllipticGroup.of(curve).point(of: number)
        else { throw .unreadable(reason: "the private number is zero or not below the order of the curve") }
        guard told.map({ $0.externalRepresentation == point }) ?? true else {
            throw .unreadable(reason: "the public half belongs to another private number")
        }
        let handle = unsafe point.lend { point in
            unsafe KeyHandle(
                .ellipticCurve, isPrivate: true,
                [
                    (KeyNumber.group, .text(curve.groupName)), (KeyNumber.point, .bytes(point)),
                    (KeyNumber.privateNumber, .number(number)),
                ])
        }
        guard let handle else { throw .unreadable(reason: "libcrypto refuses this key") }
        if let told { return (handle, told) }
        return (handle, try PublicKey(point: point, curve))
    }

    /// The key in the form of ``init(externalRepresentation:type:)``.
    package var externalRepresentation: SecretBox {
        switch publicKey.kind {
        case .ellipticCurve: KeyDERWriter.joined(publicKey.externalRepresentation, privateNumber)
        case .rsa: rsaPrivateForm
        }
    }

    /// The private number of an elliptic curve key: as many bytes as a coordinate has.
    var privateNumber: SecretBox {
        handle.number(KeyNumber.privateNumber, byteCount: publicKey.kind.blockByteCount)
    }

    /// Returns the `RSAPublicKey` of a key with both halves.
    private static func publicForm(of handle: KeyHandle, bits: Int) -> [UInt8] {
        let numbers = [(KeyNumber.modulus, (bits + 7) / 8), (KeyNumber.publicExponent, 8)].map { name, byteCount in
            unsafe handle.number(name, byteCount: byteCount).withBytes { unsafe KeyDERWriter.number($0) }
        }
        return KeyDERWriter.sequence(numbers)
    }

    /// The key as an `RSAPrivateKey`.
    private var rsaPrivateForm: SecretBox {
        let block = publicKey.kind.blockByteCount
        let numbers =
            [handle.number(KeyNumber.modulus, byteCount: block), handle.number(KeyNumber.publicExponent, byteCount: 8)]
            + KeyNumber.ofPrivateRSA.map { handle.number($0, byteCount: block) }
        let version: [UInt8] = [DERTag.integer, 1, 0]
        // The header of each number, and how many of its bytes are leading zeros.
        let shapes = numbers.map { number in
            unsafe number.withBytes { bytes in
                let skipped = unsafe bytes.prefix { $0 == 0 }.count
                let needsZero = unsafe bytes[skipped] >= 0x80
                let header = DERHeader.bytes(DERTag.integer, contentCount: bytes.count - skipped + (needsZero ? 1 : 0))
                return (header: needsZero ? header + [0] : header, skipped: skipped)
            }
        }
        let contentCount =
            version.count + zip(numbers, shapes).reduce(0) { $0 + $1.1.header.count + $1.0.count - $1.1.skipped }
        let head = DERHeader.bytes(DERTag.sequence, contentCount: contentCount) + version
        return unsafe SecretBox(count: head.count - version.count + contentCount) { room in
            unsafe room.copyBytes(from: head)
            var place = head.count
            for (number, shape) in zip(numbers, shapes) {
                unsafe UnsafeMutableRawBufferPointer(rebasing: room[place...]).copyBytes(from: shape.header)
                place += shape.header.count
                unsafe number.withBytes { bytes in
                    let digits = unsafe UnsafeRawBufferPointer(rebasing: bytes[shape.skipped...])
                    unsafe UnsafeMutableRawBufferPointer(rebasing: room[place...]).copyMemory(from: digits)
                    place += digits.count
                }
            }
        }
    }
}

extension PrivateKey: Hashable {
    /// Compares keys by their public half.
    package static func == (one: PrivateKey, other: PrivateKey) -> Bool { one.publicKey == other.publicKey }

    package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}
