import Security
import Testing

/// Reference 10.2.
@Suite("Which key does what with which algorithm")
struct AlgorithmSupportTests {
    /// Returns the answer of the matrix for keys that are large enough for everything.
    private func isExpected(_ key: SecKey, isPrivate: Bool, _ operation: SecKeyOperationType, _ name: String) -> Bool {
        let ofFamily =
            switch operation {
            case .sign, .verify: name.hasPrefix(key.isElliptic ? "algid:sign:ECDSA" : "algid:sign:RSA")
            case .encrypt, .decrypt: name.hasPrefix(key.isElliptic ? "algid:encrypt:ECIES" : "algid:encrypt:RSA")
            case .keyExchange: key.isElliptic && name.hasPrefix("algid:keyexchange")
            }
        // RSA keys verify by decrypting, and what a private key does with a block a public one does, too.
        if !key.isElliptic, operation == .verify { return ofFamily }
        if !key.isElliptic, operation == .decrypt, !isPrivate { return ofFamily && !name.hasSuffix("AESGCM") }
        let ofHalf = isPrivate == [.sign, .decrypt, .keyExchange].contains(operation)
        return ofFamily && ofHalf
    }

    @Test("the matrix holds for every algorithm", arguments: TestKeys.elliptic + [TestKeys.rsa])
    func matrix(key: SecKey) {
        for (algorithm, name) in AlgorithmFixture.all {
            for operation in SecKeyOperationType.allCases {
                #expect(
                    SecKeyIsAlgorithmSupported(key, operation, algorithm)
                        == isExpected(key, isPrivate: true, operation, name), "\(name) \(operation) private")
                #expect(
                    SecKeyIsAlgorithmSupported(key.other, operation, algorithm)
                        == isExpected(key, isPrivate: false, operation, name), "\(name) \(operation) public")
            }
        }
    }

    @Test("keys of the enclave do what other private keys of their curve do, and no prompt is shown")
    func enclave() throws {
        let keychain = EnclaveKeychain()
        let key = try #require(
            keychain.whileCurrent {
                SecKeyCreateRandomKey(EnclaveKeyTests.parameters as CFDictionary, nil)
            })
        let asked = keychain.requests.count
        for (algorithm, name) in AlgorithmFixture.all {
            for operation in SecKeyOperationType.allCases {
                #expect(
                    SecKeyIsAlgorithmSupported(key, operation, algorithm)
                        == isExpected(key, isPrivate: true, operation, name), "\(name) \(operation)")
            }
        }
        #expect(keychain.requests.count == asked)
    }

    @Test("a key that is too small for a padding does not have it (Reference 9.7)")
    func small() {
        let key = TestKeys.smallRSA
        let table: [(SecKeyAlgorithm, Bool)] = [
            (.rsaSignatureMessagePKCS1v15SHA256, true), (.rsaSignatureMessagePKCS1v15SHA512, false),
            (.rsaSignatureMessagePSSSHA1, true), (.rsaSignatureMessagePSSSHA224, true),
            (.rsaSignatureMessagePSSSHA256, false), (.rsaSignatureRaw, true),
        ]
        for (algorithm, isSupported) in table {
            #expect(SecKeyIsAlgorithmSupported(key, .sign, algorithm) == isSupported, "\(algorithm.rawValue)")
            #expect(SecKeyIsAlgorithmSupported(key.other, .verify, algorithm) == isSupported)
        }
        let encryption: [(SecKeyAlgorithm, Bool)] = [
            (.rsaEncryptionOAEPSHA1, true), (.rsaEncryptionOAEPSHA224, true), (.rsaEncryptionOAEPSHA256, false),
            (.rsaEncryptionOAEPSHA512, false), (.rsaEncryptionPKCS1, true), (.rsaEncryptionRaw, true),
        ]
        for (algorithm, isSupported) in encryption {
            #expect(SecKeyIsAlgorithmSupported(key, .decrypt, algorithm) == isSupported, "\(algorithm.rawValue)")
            #expect(SecKeyIsAlgorithmSupported(key.other, .encrypt, algorithm) == isSupported)
        }
    }
}
