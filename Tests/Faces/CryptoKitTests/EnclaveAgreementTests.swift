import CryptoKit
import Foundation
import LocalAuthentication
import SecurityTesting
import Testing

@Suite("Key agreement in SecureEnclave")
struct EnclaveAgreementTests {
    private typealias Key = SecureEnclave.P256.KeyAgreement.PrivateKey

    @Test("comes to the secret that the other side comes to", arguments: VirtualDevice.Backend.allCases)
    func agree(_ backend: VirtualDevice.Backend) throws {
        let device = try VirtualDevice(backend: backend)
        try device.run {
            let key = try Key()
            #expect(key.publicKey.compactRepresentation != nil)
            for _ in 0..<8 {
                let peer = CryptoKit.P256.KeyAgreement.PrivateKey(compactRepresentable: false)
                let secret = try key.sharedSecretFromKeyAgreement(with: peer.publicKey)
                #expect(secret == (try peer.sharedSecretFromKeyAgreement(with: key.publicKey)))
            }
            let other = try Key(compactRepresentable: false)
            let one = try key.sharedSecretFromKeyAgreement(with: other.publicKey)
            let two = try Key(dataRepresentation: other.dataRepresentation)
                .sharedSecretFromKeyAgreement(with: key.publicKey)
            #expect(one == two)
            #expect(
                one.hkdfDerivedSymmetricKey(
                    using: SHA256.self, salt: Data("salt".utf8), sharedInfo: Data(), outputByteCount: 32)
                    == two.hkdfDerivedSymmetricKey(
                        using: SHA256.self, salt: Data("salt".utf8), sharedInfo: Data(), outputByteCount: 32))
        }
        device.close()
    }

    @Test("opens messages of HPKE, in every mode that authenticates")
    func hpke() throws {
        let device = try VirtualDevice()
        try device.run {
            let recipient = try Key()
            let info = Data("letters".utf8)
            var sender = try HPKE.Sender(
                recipientKey: recipient.publicKey, ciphersuite: .P256_SHA256_AES_GCM_256, info: info)
            let sealed = try sender.seal(Data("Meet me".utf8), authenticating: Data("today".utf8))
            var opener = try HPKE.Recipient(
                privateKey: recipient, ciphersuite: .P256_SHA256_AES_GCM_256, info: info,
                encapsulatedKey: sender.encapsulatedKey)
            #expect(try opener.open(sealed, authenticating: Data("today".utf8)) == Data("Meet me".utf8))

            let author = try Key()
            sender = try HPKE.Sender(
                recipientKey: recipient.publicKey, ciphersuite: .P256_SHA256_AES_GCM_256, info: info,
                authenticatedBy: author)
            let signed = try sender.seal(Data("It is me".utf8))
            opener = try HPKE.Recipient(
                privateKey: recipient, ciphersuite: .P256_SHA256_AES_GCM_256, info: info,
                encapsulatedKey: sender.encapsulatedKey, authenticatedBy: author.publicKey)
            #expect(try opener.open(signed) == Data("It is me".utf8))
        }
    }

    @Test("asks a person as signing does, and stops with the device's lock")
    func refusals() throws {
        let device = try VirtualDevice()
        try device.setPasscode("1234")
        try device.enroll(.rightIndex)
        let peer = CryptoKit.P256.KeyAgreement.PrivateKey().publicKey
        try device.run {
            let key = try Key(
                accessControl: accessControl(kSecAttrAccessibleWhenUnlockedThisDeviceOnly, .userPresence))
            device.script(.cancel)
            #expect(
                Refused { _ = try key.sharedSecretFromKeyAgreement(with: peer) } == .authentication(.userCancel))
            device.script(.match(.rightIndex))
            #expect(Refused { _ = try key.sharedSecretFromKeyAgreement(with: peer) } == .nothing)
            try device.lock()
            #expect(
                Refused { _ = try key.sharedSecretFromKeyAgreement(with: peer) }
                    == .status(errSecInteractionNotAllowed))
        }
        #expect(device.unusedAnswers.isEmpty)
    }
}
