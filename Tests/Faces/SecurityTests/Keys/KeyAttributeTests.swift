import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import Testing

@testable import Security

/// Reference 9.5 and 9.6.
@Suite("What a key says of itself")
struct KeyAttributeTests {
    /// Attribute: EC private, EC public, RSA private, RSA public.
    static let flags: [(String, [Bool])] = [
        ("perm", [true, true, true, true]), ("priv", [true, true, true, true]), ("modi", [true, true, true, true]),
        ("sens", [false, false, false, false]), ("asen", [false, false, false, false]),
        ("next", [false, false, false, false]), ("extr", [true, true, true, true]),
        ("encr", [false, true, false, true]), ("decr", [true, false, true, true]),
        ("drve", [true, false, false, false]), ("sign", [true, false, true, false]),
        ("vrfy", [false, true, false, true]), ("snrc", [false, false, false, false]),
        ("vyrc", [false, false, false, false]), ("wrap", [false, true, false, true]),
        ("unwp", [true, false, true, false]),
    ]

    @Test("the table of attributes", arguments: TestKeys.all)
    func table(key: SecKey) throws {
        let representation = try #require(SecKeyCopyExternalRepresentation(key.other, nil) as Data?)
        for (half, isPrivate) in [(key, true), (key.other, false)] {
            let attributes = try #require(SecKeyCopyAttributes(half) as? [String: Any])
            let column = (key.isElliptic ? 0 : 2) + (isPrivate ? 0 : 1)
            for (name, values) in Self.flags {
                #expect(attributes[name] as? Bool == values[column], "\(name)")
                #expect(CFGetTypeID(attributes[name] as AnyObject) == CFBooleanGetTypeID(), "\(name)")
            }
            #expect(attributes["class"] as? String == kSecClassKey as String)
            #expect(attributes["kcls"] as? String == (isPrivate ? "1" : "0"))
            #expect(attributes["type"] as? String == (key.isElliptic ? "73" : "42"))
            #expect(attributes["bsiz"] as? Int == key.publicKey.kind.sizeInBits)
            #expect(attributes["esiz"] as? Int == key.publicKey.kind.sizeInBits)
            #expect(attributes["klbl"] as? Data == Data(sha1([UInt8](representation))))
            #expect(attributes.count == Self.flags.count + 6)
            #expect(attributes["v_Data"] == nil)
        }
    }

    @Test("block sizes are those of the modulus or of a coordinate")
    func blocks() {
        #expect(TestKeys.elliptic.map(SecKeyGetBlockSize) == [24, 28, 32, 48, 66])
        #expect(TestKeys.elliptic.map { SecKeyGetBlockSize($0.other) } == [24, 28, 32, 48, 66])
        #expect([TestKeys.smallRSA, TestKeys.rsa].map(SecKeyGetBlockSize) == [64, 256])
    }

    @Test("the public half of a key is always the same one", arguments: TestKeys.all)
    func publicHalf(key: SecKey) throws {
        let half = try #require(SecKeyCopyPublicKey(key))
        #expect(half == key.other)
        #expect(SecKeyCopyPublicKey(half) == half)
        #expect(half != key)
        #expect(CFEqual(half, key.other))
        #expect(CFHash(half) == CFHash(key.other))
        #expect(!CFEqual(half, key))
        #expect(!half.isEqual(nil) && !half.isEqual("key"))
    }

    @Test("keys are members of sets and keys of dictionaries")
    func hashable() {
        let names: [SecKey: String] = [TestKeys.p256: "private", TestKeys.p256.other: "public"]
        #expect(names[TestKeys.p256] == "private")
        #expect(names[TestKeys.p256.other] == "public")
        #expect(names[TestKeys.otherP256] == nil)
        #expect(Set(TestKeys.all + TestKeys.all).count == TestKeys.all.count)
    }

    @Test("the description names kind and size, and nothing secret", arguments: TestKeys.all)
    func description(key: SecKey) throws {
        let family = key.isElliptic ? "EC" : "RSA"
        #expect("\(key)".hasPrefix("<SecKeyRef key type: \(family)PrivateKey, \(key.publicKey.kind.sizeInBits) bits"))
        #expect("\(key.other)".hasPrefix("<SecKeyRef key type: \(family)PublicKey"))
        let secret = try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?).suffix(16)
        #expect(!"\(key)".contains(secret.map { String(format: "%02x", $0) }.joined()))
        #expect("\(key)".count < 150)
    }

    @Test("a key is an object of its type", arguments: TestKeys.all)
    func typeNumber(key: SecKey) {
        #expect(CFGetTypeID(key) == SecKeyGetTypeID())
        #expect(CFGetTypeID(key.other) == SecKeyGetTypeID())
    }
}
