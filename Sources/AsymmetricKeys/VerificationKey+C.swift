import CLibcrypto
import Synchronization

/// The public half of an elliptic curve key in the form that libcrypto verifies with at once. Made when it is first
/// needed.
@safe final class VerificationKey: Sendable {
    /// Sendable because nobody changes the key, and libcrypto counts its users with atomics.
    @safe private struct Form: @unchecked Sendable {
        let key: OpaquePointer
    }

    private let handle: KeyHandle
    private let form = Mutex<Form?>(nil)

    init(_ handle: KeyHandle) {
        self.handle = handle
    }

    deinit {
        form.withLock { form in
            if let form { unsafe EC_KEY_free(form.key) }
        }
    }

    /// Whether these are the bytes of a DER signature over the digest, which is cut to the size of the curve.
    func isSignature(_ der: [UInt8], over digest: [UInt8]) -> Bool {
        let made = form.withLock { form in
            if form == nil, let key = unsafe EVP_PKEY_get1_EC_KEY(handle.key) { form = unsafe Form(key: key) }
            return form
        }
        guard let made, let derCount = Int32(exactly: der.count), let digestCount = Int32(exactly: digest.count) else {
            return false
        }
        return unsafe ECDSA_verify(0, digest, digestCount, der, derCount, made.key) == 1
    }
}
