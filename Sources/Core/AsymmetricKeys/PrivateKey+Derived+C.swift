package import LatchkeySecretMemory

@_implementationOnly import CLatchkeyLibcrypto

extension PrivateKey {
    /// The number of bytes from which ``init(curve:randomBytes:)`` makes a key of a curve: 64 bits more than its order has.
    package static func randomByteCount(_ curve: Curve) -> Int { curve.coordinateByteCount + 8 }

    /// Makes the key of a curve from random bits, more of them than the order has, as FIPS 186-5 A.2.1 does: the number c of
    /// the bytes becomes c mod (n - 1) + 1.
    /// - Parameter randomBytes: ``randomByteCount(_:)`` uniform bytes, most significant first.
    package convenience init(curve: Curve, randomBytes: SecretBox) throws(KeyFailure) {
        // The order of P-521 has fewer bits than its coordinates have; A.2.1 would use another number of bytes there.
        guard curve != .p521, randomBytes.count == Self.randomByteCount(curve) else {
            throw .unsupported(what: "making this key from \(randomBytes.count) bytes")
        }
        let number = EllipticGroup.of(curve).privateNumber(
            from: randomBytes, byteCount: curve.coordinateByteCount)
        let parts = try unsafe number.withBytes { bytes throws(KeyFailure) in
            try unsafe Self.ellipticCurve(curve, bytes, nil)
        }
        self.init(parts.0, parts.1)
    }
}

extension EllipticGroup {
    /// Computes c mod (n - 1) + 1.
    fileprivate func privateNumber(from randomBytes: SecretBox, byteCount: Int) -> SecretBox {
        unsafe randomBytes.withBytes { randomBytes in
            let random = unsafe BigNumber(unsafe randomBytes)
            let number = Arithmetic().remainder(random, order.predecessor())
            unsafe BN_add_word(number.pointer, 1)
            return unsafe SecretBox(count: byteCount) { output in
                let start = unsafe output.assumingMemoryBound(to: UInt8.self).baseAddress
                let written = unsafe BN_bn2binpad(number.pointer, start, Int32(output.count))
                precondition(Int(written) == output.count, "a private number is below the order")
            }
        }
    }
}
