import LatchkeyCryptoSuite

@_implementationOnly import CLatchkeyLibcrypto

extension PrivateKey {
    package func sign(
        _ signed: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(KeyOperationFailure) -> [UInt8] {
        guard publicKey.kind.has(.signature(algorithm)) else { throw .unsupported }
        let signed = try algorithm.digested(signed)
        guard case .ellipticCurve(let curve) = publicKey.kind else {
            return try RSAOperation(handle, algorithm).sign(signed)
        }
        guard let der = unsafe signing.withContext({ unsafe Self.ecdsa($0, signed) }) ?? nil else {
            ERR_clear_error()
            throw .badInput(reason: "libcrypto refuses to sign this")
        }
        guard algorithm.scheme == .ecdsaRFC4754 else { return der }
        guard let raw = ECDSASignature.raw(der: der, curve: curve) else {
            preconditionFailure("libcrypto makes no signature of the curve")
        }
        return raw
    }

    private static func ecdsa(_ context: OpaquePointer, _ digest: [UInt8]) -> [UInt8]? {
        // Two numbers of P-521 with their headers.
        let limit = 144
        var isSigned = false
        let signature = unsafe [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            count = limit
            isSigned = unsafe EVP_PKEY_sign(context, buffer.baseAddress, &count, digest, digest.count) == 1
            if !isSigned { count = 0 }
        }
        return isSigned ? signature : nil
    }
}

extension PublicKey {
    /// Returns if the signature is valid, else throws.
    /// - Parameter signed: the message or its digest, as the algorithm says.
    package func verify(
        _ signature: [UInt8], over signed: [UInt8], _ algorithm: SignatureAlgorithm
    ) throws(KeyOperationFailure) {
        guard kind.has(.signature(algorithm)) else { throw .unsupported }
        let signed = try algorithm.digested(signed)
        let isRight: Bool
        switch kind {
        case .rsa:
            isRight = try RSAOperation(handle, algorithm).isSignature(signature, over: signed)
        case .ellipticCurve:
            isRight =
                verifying?.isSignature(signature, isRaw: algorithm.scheme == .ecdsaRFC4754, over: signed) ?? false
        }
        guard isRight else {
            ERR_clear_error()
            throw .notSigned
        }
    }
}
