import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyItemModel
import LatchkeyKeychainMessages
import LatchkeyPropertyListDER
import LatchkeySecretMemory
import Testing

/// Keys and certificates as the versions since format 4 left them on disk.
@Suite struct KeyFixtureTests {
    private static let formats = [4, 6]

    @Test("the key and the certificate come back, fit each other and make an identity", arguments: formats)
    func identity(_ format: Int) throws {
        let device = try FixtureDevice(ofFormat: format)
        try device.unlock()
        let stored = try device.data(["class": .string("keys"), "atag": .string("software")]).get()
        let key = try PrivateKey(externalRepresentation: stored, type: .ellipticCurve)
        let der = try device.data(["class": .string("cert"), "labl": .string("Fixture 4")]).get()
        let certificate = try Certificate(der: der.withBytes { Array($0) })
        #expect(certificate.publicKey == key.publicKey)
        let identity = device.find([
            "class": .string("idnt"), "labl": .string("Fixture 4"), "r_Attributes": .boolean(true),
        ])
        guard case .dictionary(let attributes)? = identity.result else {
            Issue.record("no identity: \(identity.code)")
            return
        }
        #expect(attributes["klbl"] == .data(key.publicKey.digest))
        #expect(attributes["atag"] == .string("software"))
    }

    @Test("the enclave's key signs once the device was unlocked, and its public key checks it", arguments: formats)
    func enclaveKey(_ format: Int) throws {
        let device = try FixtureDevice(ofFormat: format)
        let found = device.find([
            "class": .string("keys"), "atag": .string("enclave"), "tkid": .string("com.apple.setoken"),
            "r_Attributes": .boolean(true),
        ])
        guard case .dictionary(let attributes)? = found.result, case .data(let blob)? = attributes["toid"],
            let described = try? device.keychain.ask(DescribeEnclaveKey(blob))
        else {
            Issue.record("no key of the enclave: \(found.code)")
            return
        }
        let digest = [UInt8](repeating: 7, count: 32)
        let question = SignWithKey(blob, digest: digest)
        let refusal = #expect(throws: EnclaveKeyRefusal.self, "a locked key signs") {
            try device.keychain.ask(question)
        }
        #expect(refusal?.code == .interactionNotAllowed)
        try device.unlock()
        let signature = try device.keychain.ask(question).bytes
        let key = try PublicKey(externalRepresentation: described.publicKey, type: .ellipticCurve)
        #expect(attributes["klbl"] == .data(key.digest))
        try key.verify(signature, over: digest, SignatureAlgorithm(.ecdsaX962, nil, takesMessage: false))
    }

    @Test("a key that was deleted does not come back, although its blob was kept", arguments: formats)
    func deletedKey(_ format: Int) throws {
        let device = try FixtureDevice(ofFormat: format)
        try device.unlock()
        let file = FixtureDevice.directory(ofFormat: format).appending(path: "deleted-key")
        let blob = Array(try Data(contentsOf: file))
        #expect(throws: EnclaveKeyRefusal.self) { try device.keychain.ask(DescribeEnclaveKey(blob)) }
        #expect(throws: EnclaveKeyRefusal.self) {
            try device.keychain.ask(SignWithKey(blob, digest: [UInt8](repeating: 1, count: 32)))
        }
    }
}
