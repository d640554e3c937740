import Foundation
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyKeychainMessages
import Synchronization
import Testing

@testable import Security

/// Reference 9.7 and 11, against a scripted enclave whose keys are real.
@Suite("What keys of the enclave do")
struct EnclaveKeyUseTests {
    private let keychain = EnclaveKeychain()

    private func key() throws -> SecKey {
        try #require(keychain.whileCurrent { SecKeyCreateRandomKey(EnclaveKeyTests.parameters as CFDictionary, nil) })
    }

    @Test("it signs with every algorithm of its curve, and only digests go to the enclave")
    func signing() throws {
        let key = try key()
        let message = Data("a message that is longer than any digest, so that it would be noticed".utf8)
        for (algorithm, name) in AlgorithmFixture.all where SecKeyIsAlgorithmSupported(key, .sign, algorithm) {
            guard case .signature(let parts)? = algorithm.algorithm else { continue }
            let data = parts.takesMessage ? message : Data(count: parts.digest?.byteCount ?? 40)
            let before = keychain.requests.count
            let signature = try #require(SecKeyCreateSignature(key, algorithm, data as CFData, nil), "\(name)")
            #expect(SecKeyVerifySignature(key.other, algorithm, data as CFData, signature, nil), "\(name)")
            try #require(keychain.requests.count == before + 1)
            let digest = try #require(keychain.requests[before].signedDigest)
            #expect((1...32).contains(digest.count))
            if parts.scheme == .ecdsaRFC4754 { #expect(signature.length == 64) }
        }
        let nothing = try #require(SecKeyCreateSignature(key, .ecdsaSignatureDigestX962, Data() as CFData, nil))
        #expect(SecKeyVerifySignature(key.other, .ecdsaSignatureDigestX962, Data(count: 1) as CFData, nothing, nil))
    }

    @Test("what makes no sense is refused before the enclave is asked")
    func badInput() throws {
        let key = try key()
        let before = keychain.requests.count
        let table: [(SecKeyAlgorithm, Int)] = [
            (.ecdsaSignatureDigestX962SHA256, 31), (.ecdsaSignatureDigestX962SHA256, 33),
            (.ecdsaSignatureDigestRFC4754SHA512, 0), (.rsaSignatureDigestPKCS1v15SHA256, 32),
            (.ecdhKeyExchangeStandard, 32),
        ]
        for (algorithm, count) in table {
            var error: Unmanaged<CFError>?
            #expect(SecKeyCreateSignature(key, algorithm, Data(count: count) as CFData, &error) == nil)
            #expect(error?.takeRetainedValue().code == -50)
        }
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateDecryptedData(key, .rsaEncryptionPKCS1, Data(count: 256) as CFData, &error) == nil)
        #expect(error?.takeRetainedValue().code == -50)
        for ecies in [Data(), Data(count: 81), Data([4]) + Data(count: 100)] {
            #expect(
                SecKeyCreateDecryptedData(key, .eciesEncryptionCofactorX963SHA256AESGCM, ecies as CFData, &error) == nil
            )
            #expect(error?.takeRetainedValue().code == -50)
        }
        for peer in [TestKeys.p384.other, TestKeys.rsa.other, TestKeys.p256] {
            #expect(
                SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, peer, [:] as CFDictionary, &error) == nil)
            #expect(error?.takeRetainedValue().code == -50)
        }
        #expect(!SecKeyVerifySignature(key, .ecdsaSignatureDigestX962, Data() as CFData, Data() as CFData, &error))
        #expect(error?.takeRetainedValue().code == -50)
        #expect(keychain.requests.count == before)
    }

    @Test("it decrypts what is encrypted for its public half, and agrees on secrets")
    func agreement() throws {
        let key = try key()
        let plain = Data("secret".utf8)
        for (algorithm, name) in AlgorithmFixture.all where SecKeyIsAlgorithmSupported(key, .decrypt, algorithm) {
            let cipher = try #require(SecKeyCreateEncryptedData(key.other, algorithm, plain as CFData, nil), "\(name)")
            #expect(SecKeyCreateDecryptedData(key, algorithm, cipher, nil) as Data? == plain, "\(name)")
            var altered = cipher as Data
            altered[altered.count - 1] ^= 1
            #expect(SecKeyCreateDecryptedData(key, algorithm, altered as CFData, nil) == nil)
        }
        let parameters = ["requestedSize": 48] as CFDictionary
        for algorithm in KeyExchangeTests.algorithms {
            let one = SecKeyCopyKeyExchangeResult(key, algorithm, TestKeys.p256.other, parameters, nil)
            let other = SecKeyCopyKeyExchangeResult(TestKeys.p256, algorithm, key.other, parameters, nil)
            #expect(one != nil)
            #expect(one == other)
        }
    }

    @available(*, deprecated)
    @Test("the older calls work with it")
    func legacy() throws {
        let key = try key()
        let digest = [UInt8](repeating: 3, count: 32)
        var signature = [UInt8](repeating: 0, count: 80)
        var count = 80
        #expect(SecKeyRawSign(key, .PKCS1SHA256, digest, 32, &signature, &count) == errSecSuccess)
        #expect(SecKeyRawVerify(key.other, .PKCS1SHA256, digest, 32, signature, count) == errSecSuccess)
        keychain.fail(.userCanceled)
        #expect(SecKeyRawSign(key, .PKCS1SHA256, digest, 32, &signature, &count) == errSecUserCanceled)
    }

    @Test(
        "what the keychain refuses is the error of the call, with reason and advice",
        arguments: [
            ResultCode.interactionNotAllowed, .userCanceled, .authFailed, .itemNotFound, .decode, .notAvailable, .param,
        ])
    func refusals(code: ResultCode) throws {
        let key = try key()
        keychain.fail(code, Refusal(ruleName: "a-rule", reason: "It was so.", advice: "Do that."))
        let cipher = try #require(
            SecKeyCreateEncryptedData(key.other, .eciesEncryptionCofactorX963SHA256AESGCM, Data([1]) as CFData, nil))
        var errors = [Unmanaged<CFError>?](repeating: nil, count: 5)
        #expect(
            SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, &errors[0]) == nil)
        #expect(SecKeyCreateDecryptedData(key, .eciesEncryptionCofactorX963SHA256AESGCM, cipher, &errors[1]) == nil)
        #expect(
            SecKeyCopyKeyExchangeResult(
                key, .ecdhKeyExchangeStandard, TestKeys.p256.other, [:] as CFDictionary, &errors[2]) == nil)
        keychain.whileCurrent {
            #expect(SecKeyCreateRandomKey(EnclaveKeyTests.parameters as CFDictionary, &errors[3]) == nil)
            let named = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: Data([1])] as CFDictionary
            #expect(SecKeyCreateWithData(Data() as CFData, named, &errors[4]) == nil)
        }
        for error in errors {
            let error = try #require(error?.takeRetainedValue())
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(error.code == Int(code.rawValue))
            #expect(error.localizedFailureReason == "It was so.")
            #expect(error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String == "Do that.")
            #expect(error.userInfo["NSDebugDescription"] as? String == "a-rule")
        }
    }

    @Test("an answer that makes no sense is an internal error")
    func nonsense() throws {
        let key = try key()
        let internalError = Int(errSecInternalComponent)
        var error: Unmanaged<CFError>?
        for signature in [[], [0x30, 0x80]] as [[UInt8]] {
            keychain.state.withLock { $0.nonsense.signature = EnclaveKeySignature(signature) }
            #expect(
                SecKeyCreateSignature(key, .ecdsaSignatureMessageRFC4754SHA256, Data([1]) as CFData, &error) == nil)
            let nonsense = try #require(error?.takeRetainedValue())
            #expect(nonsense.code == internalError)
            #expect(
                nonsense.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
                    == "Use library and daemon of the same version.")
            #expect(nonsense.userInfo["NSDebugDescription"] as? String == "daemon-answer-malformed")
        }
        for publicKey in [[4], [UInt8](repeating: 0, count: 65)] as [[UInt8]] {
            keychain.state.withLock { state in
                state.nonsense.created = CreatedEnclaveKey(blob: [], publicKey: publicKey)
                state.nonsense.description = EnclaveKeyDescription(
                    publicKey: publicKey, accessControl: AccessControl(protection: .always))
            }
            keychain.whileCurrent {
                #expect(SecKeyCreateRandomKey(EnclaveKeyTests.parameters as CFDictionary, &error) == nil)
                #expect(error?.takeRetainedValue().code == internalError)
                let named =
                    [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave, kSecAttrTokenOID: Data([1])] as CFDictionary
                #expect(SecKeyCreateWithData(Data() as CFData, named, &error) == nil)
                #expect(error?.takeRetainedValue().code == internalError)
            }
        }
    }

    @Test("a key stays with the keychain that it was made in")
    func keychainOfKey() throws {
        let key = try key()
        let other = EnclaveKeychain()
        other.whileCurrent {
            #expect(SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil) != nil)
        }
        #expect(other.requests.isEmpty)
        #expect(keychain.requests.count == 2)
    }

    @Test("what the program says of asking is remembered for every use")
    func asking() throws {
        let table: [([CFString: Any], Interaction?)] = [
            ([:], nil), ([DeprecatedConstants.useOperationPrompt: "to sign"], Interaction(reason: "to sign")),
            ([kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIAllow], nil),
            ([kSecUseAuthenticationUI: DeprecatedConstants.useAuthenticationUIFail], Interaction(isAllowed: false)),
            ([DeprecatedConstants.useNoAuthenticationUI: true], Interaction(isAllowed: false)),
        ]
        for (attributes, interaction) in table {
            let keychain = EnclaveKeychain()
            let parameters = EnclaveKeyTests.parameters.merging(attributes) { $1 }
            let key = try #require(keychain.whileCurrent { SecKeyCreateRandomKey(parameters as CFDictionary, nil) })
            _ = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, Data([1]) as CFData, nil)
            _ = SecKeyCopyKeyExchangeResult(
                key, .ecdhKeyExchangeStandard, TestKeys.p256.other, [:] as CFDictionary, nil)
            #expect(keychain.interactions == [interaction, interaction, interaction])
        }
    }
}
