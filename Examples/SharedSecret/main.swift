// Two phones agree on a key without ever sending it, and one writes to the other. Each has a private key in its enclave and
// knows the other's public key; the enclaves agree, the programs derive an AES key from that, and encrypt with it.

import Crypto
import Foundation
import Security
import SecurityTesting

/// One side of a conversation.
struct Correspondent {
    private let key: SecKey
    let publicKey: Data

    init() throws {
        let attributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
            kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false] as [CFString: Any],
        ]
        var error: Unmanaged<CFError>?
        guard let key = SecKeyCreateRandomKey(attributes as CFDictionary, &error),
            let point = SecKeyCopyPublicKey(key).flatMap({ SecKeyCopyExternalRepresentation($0, &error) }) as Data?
        else { throw error!.takeRetainedValue() }
        self.key = key
        publicKey = point
    }

    /// The AES key that both sides come to.
    ///
    /// What the enclaves agree on is the coordinate of a point: it has structure, so it goes through a derivation first. The
    /// shared info says what the key is for, so that another use of the same two keys has another key.
    func conversationKey(with peer: Data) throws -> SymmetricKey {
        let peerAttributes: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        let parameters: [CFString: Any] = [
            SecKeyKeyExchangeParameter.requestedSize.rawValue: 32,
            SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data("com.example.letters v1".utf8),
        ]
        var error: Unmanaged<CFError>?
        guard let peerKey = SecKeyCreateWithData(peer as CFData, peerAttributes as CFDictionary, &error),
            let secret = SecKeyCopyKeyExchangeResult(
                key, .ecdhKeyExchangeStandardX963SHA256, peerKey, parameters as CFDictionary, &error) as Data?
        else { throw error!.takeRetainedValue() }
        return SymmetricKey(data: secret)
    }
}

/// Ends the program if something is not as it should be.
func check(_ story: String, _ isRight: Bool) {
    print("\(story): \(isRight ? "yes" : "NO")")
    if !isRight { exit(1) }
}

let annasPhone = try VirtualDevice()
let bensPhone = try VirtualDevice()
let annasApp = annasPhone.install("com.example.letters", team: "A1B2C3D4E5")
let bensApp = bensPhone.install("com.example.letters", team: "A1B2C3D4E5")

let anna = try annasApp.run { try Correspondent() }
let ben = try bensApp.run { try Correspondent() }

// Only public keys travel.
let annasKey = try annasApp.run { try anna.conversationKey(with: ben.publicKey) }
let bensKey = try bensApp.run { try ben.conversationKey(with: anna.publicKey) }
check("both come to the same key", annasKey == bensKey)

// AES-GCM with a nonce of its own for each letter, which travels in front of it. With the same key and nonce twice,
// the difference of two letters is readable, and forging more of them becomes possible: never reuse one.
let letter = "Meet me at the old bridge."
let sealed = try AES.GCM.seal(Data(letter.utf8), using: annasKey)
let again = try AES.GCM.seal(Data(letter.utf8), using: annasKey)
check("the same letter twice is two different texts", sealed.combined != again.combined)
let travelled = try AES.GCM.SealedBox(combined: sealed.combined ?? Data())
check("Ben reads it", try String(decoding: AES.GCM.open(travelled, using: bensKey), as: UTF8.self) == letter)

var altered = sealed.combined ?? Data()
altered[20] ^= 1
check(
    "an altered letter does not open", (try? AES.GCM.open(AES.GCM.SealedBox(combined: altered), using: bensKey)) == nil)

// Derived bytes are not text. A key that is stored as a String is lost: other bytes than UTF-8 become a replacement character, and
// base64 or hexadecimal digits used as a key have far less in them than their length says.
let bytes = annasKey.withUnsafeBytes { Data($0) }
let throughText = Data(String(decoding: bytes, as: UTF8.self).utf8)
check("the key does not survive a String", throughText != bytes)

for finding in annasPhone.findings + bensPhone.findings {
    print(finding)
    exit(1)
}
annasPhone.close()
bensPhone.close()
