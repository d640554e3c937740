internal import LatchkeyAsymmetricKeys
internal import LatchkeyCryptoSuite
package import LatchkeySyncCore

#if !PostQuantum
#error(
    "Sync needs keys of ML-KEM: build Latchkey with its trait PostQuantum, which is on unless a package turns it off.")
#endif

/// The verifier of signatures outside tests: ECDSA with P-256 and SHA-256.
package struct P256StatementVerifier: StatementVerifying {
    package init() {}

    package func verifies(
        _ signature: StatementSignature, over message: [UInt8], publicKey: P256PublicKey
    ) -> Bool {
        P256Verification(publicKey.bytes)?.isSignature(signature.bytes, over: sha256(message)) ?? false
    }
}
