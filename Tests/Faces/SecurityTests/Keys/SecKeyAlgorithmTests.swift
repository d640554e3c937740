import Foundation
import LatchkeyAsymmetricKeys
import Testing

@testable import Security

@Suite("The algorithms of keys")
struct SecKeyAlgorithmTests {
    @Test("every member has Apple's text, and is understood", arguments: AlgorithmFixture.all)
    func members(member: SecKeyAlgorithm, text: String) {
        #expect(member.rawValue as String == text)
        #expect(member.algorithm != nil)
        #expect(member.algorithm == KeyAlgorithm(name: text))
        #expect(SecKeyAlgorithm(rawValue: text as CFString) == member)
        #expect(SecKeyAlgorithm(rawValue: text as CFString).hashValue == member.hashValue)
    }

    @Test("there is a member for every algorithm that is understood")
    func complete() {
        #expect(Set(AlgorithmFixture.all.map(\.1)) == Set(KeyAlgorithm.byName.keys))
        #expect(Set(AlgorithmFixture.all.map(\.0)).count == AlgorithmFixture.all.count)
    }

    @Test("a text that means nothing is an algorithm that no key has")
    func unknown() throws {
        let unknown = SecKeyAlgorithm(rawValue: "algid:sign:ECDSA:message-X962:SHA3")
        for key in [TestKeys.p256, TestKeys.p256.other] {
            for operation in SecKeyOperationType.allCases {
                #expect(!SecKeyIsAlgorithmSupported(key, operation, unknown))
            }
        }
        var error: Unmanaged<CFError>?
        #expect(SecKeyCreateSignature(TestKeys.p256, unknown, Data() as CFData, &error) == nil)
        #expect(error?.takeRetainedValue().code == -50)
    }

    @Test("a text that is changed afterwards changes no algorithm")
    func copied() {
        let text = NSMutableString(string: "algid:sign:RSA:raw")
        let algorithm = SecKeyAlgorithm(rawValue: text)
        text.append("-cc")
        #expect(algorithm == .rsaSignatureRaw)
    }

    @Test("the numbers of operations and paddings are Apple's")
    func numbers() {
        #expect(SecKeyOperationType.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect(
            [.sign, .verify, .encrypt, .decrypt, .keyExchange] == SecKeyOperationType.allCases)
        let paddings: [(SecPadding, UInt32)] = [
            ([], 0), (.PKCS1, 1), (.OAEP, 2), (.sigRaw, 0x4000), (.PKCS1MD2, 0x8000), (.PKCS1MD5, 0x8001),
            (.PKCS1SHA1, 0x8002), (.PKCS1SHA224, 0x8003), (.PKCS1SHA256, 0x8004), (.PKCS1SHA384, 0x8005),
            (.PKCS1SHA512, 0x8006),
        ]
        for (padding, number) in paddings { #expect(padding.rawValue == number) }
        #expect(SecKeyKeyExchangeParameter.requestedSize.rawValue as String == "requestedSize")
        #expect(SecKeyKeyExchangeParameter.sharedInfo.rawValue as String == "sharedInfo")
    }
}
