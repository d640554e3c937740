internal import LatchkeyAsymmetricKeys
internal import LatchkeyPostQuantumKeys
internal import LatchkeySecretMemory
package import LatchkeySyncCore

/// The keys that a recovery code gives. They admit a device without a member, and receive every epoch.
package struct RecoveryKeys: Sendable {
    package let signing: SoftwareSigningKey
    package let receive: SoftwareReceiveKeys
    package let publicKeys: RecoveryPublicKeys

    /// Derives the keys: private numbers of P-256 as in FIPS 186-5 A.2.1, and the seed of ML-KEM-768 as it is.
    package init(_ code: RecoveryCode) {
        func p256(_ purpose: SyncPurpose) -> PrivateKey {
            PrivateKey(p256From: code.derived(SyncInfo(purpose), count: PrivateKey.randomByteCount(.p256)))
        }
        let seed = code.derived(
            SyncInfo(.recoveryEncapsulation), count: PostQuantumKeyKind.mlkem768.seedByteCount)
        signing = SoftwareSigningKey(p256(.recoverySigning))
        receive = SoftwareReceiveKeys(
            agreement: p256(.recoveryAgreement), encapsulation: PostQuantumKey(mlkem768From: seed))
        publicKeys = RecoveryPublicKeys(signing: signing.publicKey, receive: receive.publicKeys)
    }
}
