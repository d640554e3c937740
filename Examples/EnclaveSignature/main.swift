// A document that is signed by a key in the enclave, and a letter that only this phone opens, with CryptoKit. The app keeps what
// it needs of its keys in a file: a copy of the file is of no use.

import CryptoKit
import Foundation
import LocalAuthentication
import SecurityTesting

/// The file of the app: it has no secrets, and is of no use on another phone.
struct KeyFile: Codable {
    let signing: Data
    let opening: Data

    static func made() throws -> KeyFile {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryAny], nil)
        else { throw CryptoKitError.invalidParameter }
        return KeyFile(
            signing: try SecureEnclave.P256.Signing.PrivateKey(accessControl: control).dataRepresentation,
            opening: try SecureEnclave.P256.KeyAgreement.PrivateKey().dataRepresentation)
    }

    func sign(_ document: Data, reason: String) throws -> P256.Signing.ECDSASignature {
        let context = LAContext()
        context.localizedReason = reason
        let key = try SecureEnclave.P256.Signing.PrivateKey(
            dataRepresentation: signing, authenticationContext: context)
        return try key.signature(for: document)
    }

    func open(_ letter: Letter) throws -> Data {
        let key = try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: opening)
        var recipient = try HPKE.Recipient(
            privateKey: key, ciphersuite: .P256_SHA256_AES_GCM_256, info: Letter.purpose,
            encapsulatedKey: letter.encapsulatedKey)
        return try recipient.open(letter.sealed)
    }
}

/// A letter for the owner of the private key.
struct Letter {
    static let purpose = Data("com.example.letters v1".utf8)
    let encapsulatedKey: Data
    let sealed: Data

    init(_ text: String, to publicKey: P256.KeyAgreement.PublicKey) throws {
        var sender = try HPKE.Sender(
            recipientKey: publicKey, ciphersuite: .P256_SHA256_AES_GCM_256, info: Self.purpose)
        sealed = try sender.seal(Data(text.utf8))
        encapsulatedKey = sender.encapsulatedKey
    }
}

/// Ends the program if something is not as it should be.
func check(_ story: String, _ isRight: Bool) {
    print("\(story): \(isRight ? "yes" : "NO")")
    if !isRight { exit(1) }
}

let phone = try VirtualDevice()
try phone.setPasscode("1234")
try phone.enroll(.rightIndex)
let app = phone.install("com.example.notary", team: "A1B2C3D4E5")
let document = Data("I owe you one coffee.".utf8)

check("the phone has an enclave", app.run { SecureEnclave.isAvailable })
let file = try JSONEncoder().encode(app.run { try KeyFile.made() })
let keys = try JSONDecoder().decode(KeyFile.self, from: file)
let publicKey = try app.run { try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: keys.signing).publicKey }
phone.script(.match(.rightIndex))
let signature = try app.run { try keys.sign(document, reason: "Sign the document") }
check("everybody can verify the signature", publicKey.isValidSignature(signature, for: document))
check("of this document alone", !publicKey.isValidSignature(signature, for: document + [33]))

phone.script(.cancel)
do {
    _ = try app.run { try keys.sign(document, reason: "Sign the document") }
    check("a person who cancels signs nothing", false)
} catch LAError.userCancel {
    check("a person who cancels signs nothing", true)
}

let address = try app.run { try SecureEnclave.P256.KeyAgreement.PrivateKey(dataRepresentation: keys.opening).publicKey }
let letter = try Letter("Meet me at the old bridge.", to: address)
check("the phone opens the letter", try app.run { try keys.open(letter) } == Data("Meet me at the old bridge.".utf8))

// The file on another phone.
let other = try VirtualDevice()
do {
    _ = try other.run { try keys.open(letter) }
    check("another phone with the same file does not", false)
} catch let error as NSError {
    check("another phone with the same file does not", error.code == Int(errSecItemNotFound))
}
for finding in phone.findings + other.findings {
    print(finding)
    exit(1)
}
phone.close()
other.close()
