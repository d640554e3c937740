import LatchkeyThreading

@_implementationOnly import CLatchkeyLibcrypto

/// The public half of an elliptic curve key, prepared for verifying. Made when it is first needed.
@safe final class VerificationKey: Sendable {
    /// Sendable because the key is immutable, and libcrypto counts its users with atomics.
    @safe private enum Form: @unchecked Sendable {
        #if PostQuantum
        case p256(P256Verification)
        #endif
        case libcrypto(OpaquePointer)
    }

    private let handle: KeyHandle
    private let curve: Curve
    private let point: [UInt8]
    private let form = ForkMutex<Form?>(nil)

    init(_ handle: KeyHandle, _ curve: Curve, point: [UInt8]) {
        self.handle = handle
        self.curve = curve
        self.point = point
    }

    deinit {
        form.withLock { form in
            if case .libcrypto(let key) = form { unsafe EC_KEY_free(key) }
        }
    }

    /// Returns true if this is a signature over the digest, which is cut to the size of the curve.
    /// - Parameter isRaw: whether it is r and s, or the DER of both.
    func isSignature(_ signature: [UInt8], isRaw: Bool, over digest: [UInt8]) -> Bool {
        let made = form.withLock { form in
            if form == nil { form = newForm() }
            return form
        }
        switch made {
        #if PostQuantum
        case .p256(let key):
            guard let raw = isRaw ? signature : ECDSASignature.raw(der: signature, curve: curve) else { return false }
            return key.isSignature(raw, over: digest)
        #endif
        case .libcrypto(let key):
            guard let der = isRaw ? ECDSASignature.der(raw: signature, curve: curve) : signature,
                let derCount = Int32(exactly: der.count), let digestCount = Int32(exactly: digest.count)
            else { return false }
            return unsafe ECDSA_verify(0, digest, digestCount, der, derCount, key) == 1
        case nil:
            return false
        }
    }

    private func newForm() -> Form? {
        #if PostQuantum
        if curve == .p256 { return P256Verification(point).map(Form.p256) }
        #endif
        return unsafe EVP_PKEY_get1_EC_KEY(handle.key).map { unsafe Form.libcrypto($0) }
    }
}
