internal import LatchkeyAsymmetricKeys
internal import LatchkeyCryptoSuite
internal import LatchkeyPostQuantumKeys
package import LatchkeySecretMemory
package import LatchkeySyncCore

/// A signing key in this process: that of a recovery code, or of a test.
package struct SoftwareSigningKey: ObjectSigning {
    private let key: PrivateKey
    package let publicKey: P256PublicKey

    init(_ key: PrivateKey) {
        self.key = key
        publicKey = P256PublicKey(of: key)
    }

    package func sign(_ message: [UInt8]) throws(SyncKeyFailure) -> StatementSignature {
        let algorithm = SignatureAlgorithm(.ecdsaRFC4754, .sha256, takesMessage: true)
        guard let bytes = try? key.sign(message, algorithm), let signature = StatementSignature(bytes) else {
            throw .unavailable(reason: "libcrypto signs nothing with a key of P-256")
        }
        return signature
    }
}

/// Receive keys in this process: those of a recovery code, or of a test.
package struct SoftwareReceiveKeys: ShareReceiving {
    private let agreement: PrivateKey
    private let encapsulation: PostQuantumKey
    package let publicKeys: ReceivePublicKeys

    init(agreement: PrivateKey, encapsulation: PostQuantumKey) {
        self.agreement = agreement
        self.encapsulation = encapsulation
        guard let publicKey = MLKEMPublicKey(encapsulation.publicKey) else {
            preconditionFailure("the key is one of ML-KEM-768")
        }
        publicKeys = ReceivePublicKeys(agreement: P256PublicKey(of: agreement), encapsulation: publicKey)
    }

    package func agree(with peer: P256PublicKey) throws(SyncKeyFailure) -> SecretBox {
        guard let peer = PublicKey(peer), let shared = try? agreement.agree(with: peer) else { throw .damaged }
        return shared
    }

    package func decapsulate(_ ciphertext: [UInt8]) throws(SyncKeyFailure) -> SecretBox {
        guard let secret = try? encapsulation.decapsulate(ciphertext) else { throw .damaged }
        return secret
    }
}

/// The identity of a device in tests: its private keys are in this process, and all are usable at any time.
package struct SoftwareIdentity: SyncIdentity {
    package let publicKeys: DevicePublicKeys
    package let statementKey: any ObjectSigning
    package let logKey: any ObjectSigning
    private let receiveA: SoftwareReceiveKeys
    private let receiveC: SoftwareReceiveKeys

    /// Derives all keys from a number, so that a test has the same ones each time.
    package init(testOnlySeed seed: UInt64) {
        let input = SecretBox(copying: withUnsafeTestBytes(of: seed))
        func random(_ label: UInt8, _ count: Int) -> SecretBox {
            input.derived(SyncInfo(.seal).adding([label]), count: count)
        }
        func p256(_ label: UInt8) -> PrivateKey {
            PrivateKey(p256From: random(label, PrivateKey.randomByteCount(.p256)))
        }
        func receive(_ label: UInt8) -> SoftwareReceiveKeys {
            SoftwareReceiveKeys(
                agreement: p256(label),
                encapsulation: PostQuantumKey(
                    mlkem768From: random(label + 1, PostQuantumKeyKind.mlkem768.seedByteCount)))
        }
        let (statement, log) = (SoftwareSigningKey(p256(1)), SoftwareSigningKey(p256(2)))
        (receiveA, receiveC) = (receive(3), receive(5))
        (statementKey, logKey) = (statement, log)
        publicKeys = DevicePublicKeys(
            statement: statement.publicKey, log: log.publicKey, receiveA: receiveA.publicKeys,
            receiveC: receiveC.publicKeys)
    }

    package func receiveKeys(of zone: ZoneClass) -> any ShareReceiving {
        switch zone {
        case .a: receiveA
        case .c: receiveC
        }
    }
}

private func withUnsafeTestBytes(of number: UInt64) -> [UInt8] {
    SyncInfo(.seal).adding(number).bytes
}

extension PrivateKey {
    /// Makes a key of P-256 as FIPS 186-5 A.2.1 does.
    convenience init(p256From random: SecretBox) {
        do throws(KeyFailure) {
            try self.init(curve: .p256, randomBytes: random)
        } catch {
            preconditionFailure("every number of this length gives a key: \(error)")
        }
    }
}

extension PostQuantumKey {
    init(mlkem768From seed: SecretBox) {
        do throws(PostQuantumFailure) {
            try self.init(.mlkem768, seed: seed)
        } catch {
            preconditionFailure("every seed of this length gives a key: \(error)")
        }
    }
}

extension P256PublicKey {
    init(of key: PrivateKey) {
        guard let publicKey = Self(key.publicKey.externalRepresentation) else {
            preconditionFailure("the key is one of P-256")
        }
        self = publicKey
    }
}

extension PublicKey {
    /// Returns nil if the bytes are not a point of the curve.
    convenience init?(_ publicKey: P256PublicKey) {
        try? self.init(externalRepresentation: publicKey.bytes, type: .ellipticCurve)
    }
}
