import Foundation
import Security
import SecurityTesting
import Testing

@Suite("Keys of the enclave under a test")
struct KeyCallTests {
    private static let message = Data("challenge".utf8)

    private static func key(_ flags: SecAccessControlCreateFlags) -> SecKey? {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags.union(.privateKeyUsage), nil)
        else { return nil }
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [kSecAttrAccessControl: control] as [CFString: Any],
        ]
        return SecKeyCreateRandomKey(attributes as CFDictionary, nil)
    }

    private static func status(ofSigning key: SecKey) -> OSStatus {
        var error: Unmanaged<CFError>?
        let signature = SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, message as CFData, &error)
        return signature == nil ? OSStatus(CFErrorGetCode(error?.takeRetainedValue())) : errSecSuccess
    }

    @Test("fail as a test plans it, and work again after that", arguments: VirtualDevice.Backend.allCases)
    func plannedFailures(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            device.failNext(.createRandomKey, with: errSecNotAvailable)
            #expect(Self.key([]) == nil)
            let key = try #require(Self.key([]))
            device.failNext(.createSignature, with: errSecInteractionNotAllowed, times: 2)
            #expect(Self.status(ofSigning: key) == errSecInteractionNotAllowed)
            #expect(Self.status(ofSigning: key) == errSecInteractionNotAllowed)
            #expect(Self.status(ofSigning: key) == errSecSuccess)
            device.failNext(.copyKeyExchangeResult, with: errSecAuthFailed)
            let peer = try #require(SecKeyCopyPublicKey(key))
            var error: Unmanaged<CFError>?
            let parameters = [:] as CFDictionary
            #expect(SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, peer, parameters, &error) == nil)
            #expect(CFErrorGetCode(error?.takeRetainedValue()) == Int(errSecAuthFailed))
            #expect(SecKeyCopyKeyExchangeResult(key, .ecdhKeyExchangeStandard, peer, parameters, nil) != nil)
        }
        device.close()
    }

    @Test("name the call that asked where the script has no answer", arguments: VirtualDevice.Backend.allCases)
    func unscripted(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let key = try #require(Self.key(.biometryAny))
            withKnownIssue {
                #expect(Self.status(ofSigning: key) == errSecAuthFailed)
            } matching: { issue in
                issue.comments.contains { $0.rawValue.contains("SecKeyCreateSignature") }
            }
            #expect(device.unansweredPrompts.map(\.call) == [.createSignature])
        }
        device.close()
    }

    @Test("name the older function that asked where it was called")
    @available(*, deprecated)
    func unscriptedOlderCall() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let key = try #require(Self.key(.biometryAny))
            withKnownIssue {
                let digest = [UInt8](repeating: 1, count: 32)
                var signature = [UInt8](repeating: 0, count: 128)
                var count = signature.count
                #expect(
                    SecKeyRawSign(key, .PKCS1SHA256, digest, digest.count, &signature, &count) == errSecAuthFailed)
            } matching: { issue in
                issue.comments.contains { $0.rawValue.contains("SecKeyRawSign by") }
            }
            #expect(device.unansweredPrompts.map(\.call) == [.createSignature])
            #expect(device.unansweredPrompts.map(\.function) == ["SecKeyRawSign"])
        }
        device.close()
    }

    @Test("a person's own failure is the app's", arguments: VirtualDevice.Backend.allCases)
    func personsFailure(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        try device.run {
            let key = try #require(Self.key(.userPresence))
            device.script(.cancel, .match(.rightIndex))
            #expect(Self.status(ofSigning: key) == errSecUserCanceled)
            #expect(Self.status(ofSigning: key) == errSecSuccess)
            #expect(device.unusedAnswers.isEmpty)
        }
        device.close()
    }
}
