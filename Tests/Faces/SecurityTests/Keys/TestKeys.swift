import LatchkeyAsymmetricKeys
import Security

/// Keys made once for all tests.
enum TestKeys {
    static let p256 = made(kSecAttrKeyTypeECSECPrimeRandom, 256)
    static let otherP256 = made(kSecAttrKeyTypeECSECPrimeRandom, 256)
    static let p384 = made(kSecAttrKeyTypeECSECPrimeRandom, 384)
    static let p521 = made(kSecAttrKeyTypeECSECPrimeRandom, 521)
    static let rsa = made(kSecAttrKeyTypeRSA, 2048)
    static let otherRSA = made(kSecAttrKeyTypeRSA, 2048)
    static let smallRSA = made(kSecAttrKeyTypeRSA, 512)

    static let elliptic = [
        made(kSecAttrKeyTypeEC, 192), made(kSecAttrKeyTypeEC, 224), p256, p384, p521,
    ]
    static let all = elliptic + [smallRSA, rsa]

    static func made(_ type: CFString, _ size: Int) -> SecKey {
        SecKeyCreateRandomKey([kSecAttrKeyType: type, kSecAttrKeySizeInBits: size] as CFDictionary, nil)!
    }
}

extension SecKey {
    /// The public half.
    var other: SecKey { SecKeyCopyPublicKey(self)! }

    var isElliptic: Bool { publicKey.kind.type == .ellipticCurve }
}
