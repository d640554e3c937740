import Foundation
import LatchkeyAsymmetricKeys
import Testing

@testable import Security

/// Reference 9.7 and 10.2.
@Suite("Key exchange")
struct KeyExchangeTests {
    static let algorithms = AlgorithmFixture.all.map(\.0).filter {
        SecKeyIsAlgorithmSupported(TestKeys.p256, .keyExchange, $0)
    }

    private func exchanged(
        _ key: SecKey, _ peer: SecKey, _ algorithm: SecKeyAlgorithm, _ parameters: CFDictionary = [:] as CFDictionary
    ) -> (Data?, code: Int?) {
        var error: Unmanaged<CFError>?
        let secret = SecKeyCopyKeyExchangeResult(key, algorithm, peer, parameters, &error) as Data?
        #expect((secret == nil) == (error != nil))
        return (secret, error?.takeRetainedValue().code)
    }

    @Test("both sides get the same", arguments: algorithms)
    func bothSides(algorithm: SecKeyAlgorithm) throws {
        let (one, other) = (TestKeys.p256, TestKeys.otherP256)
        let parameters =
            [
                SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 80,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data([1, 2]),
            ] as CFDictionary
        let secret = try #require(exchanged(one, other.other, algorithm, parameters).0)
        #expect(exchanged(other, one.other, algorithm, parameters).0 == secret)
        let isPlain = !(algorithm.rawValue as String).contains("KDF")
        #expect(secret.count == (isPlain ? 32 : 80))
        let without = [SecKeyKeyExchangeParameter.requestedSize: 80] as CFDictionary
        #expect((exchanged(one, other.other, algorithm, without).0 == secret) == isPlain)
        let shorter = ["requestedSize": 16, "sharedInfo": Data([1, 2])] as CFDictionary
        let short = try #require(exchanged(one, other.other, algorithm, shorter).0)
        #expect(short == (isPlain ? secret : secret.prefix(16)))
    }

    @Test("standard and cofactor are the same on these curves")
    func cofactor() throws {
        for key in TestKeys.elliptic {
            let peer = TestKeys.made(kSecAttrKeyTypeEC, key.publicKey.kind.sizeInBits).other
            let standard = exchanged(key, peer, .ecdhKeyExchangeStandard)
            #expect(standard.0?.count == SecKeyGetBlockSize(key))
            #expect(exchanged(key, peer, .ecdhKeyExchangeCofactor).0 == standard.0)
        }
    }

    struct Parameters: CustomTestStringConvertible, @unchecked Sendable {
        let values: [String: Any]
        let ofDerivation: Int?
        var testDescription: String { "\(values)" }
    }

    @Test(
        "derivations need a size; the plain exchange looks at nothing",
        arguments: [
            Parameters(values: [:], ofDerivation: -50), Parameters(values: ["requestedSize": "32"], ofDerivation: -50),
            Parameters(values: ["requestedSize": Data([32])], ofDerivation: -50),
            Parameters(values: ["requestedSize": -1], ofDerivation: -50),
            Parameters(values: ["requestedSize": Int.max], ofDerivation: -50),
            Parameters(values: ["requestedSize": UInt64.max], ofDerivation: -50),
            Parameters(values: ["requestedSize": 32.5], ofDerivation: -50),
            Parameters(values: ["requestedSize": 32, "sharedInfo": "text"], ofDerivation: -50),
            Parameters(values: ["requestedSize": 32, "sharedInfo": 5], ofDerivation: -50),
            Parameters(values: ["requestedSize": 32, "sharedInfo": Data()], ofDerivation: nil),
            Parameters(values: ["requestedSize": 1], ofDerivation: nil),
        ])
    func parameters(row: Parameters) {
        let (key, peer) = (TestKeys.p256, TestKeys.otherP256.other)
        let values = row.values as CFDictionary
        #expect(exchanged(key, peer, .ecdhKeyExchangeStandardX963SHA256, values).code == row.ofDerivation)
        #expect(exchanged(key, peer, .ecdhKeyExchangeStandard, values).code == nil)
    }

    @Test("a peer of another kind, curve or half is -50")
    func peers() {
        let key = TestKeys.p256
        for peer in [TestKeys.p384.other, TestKeys.rsa.other, TestKeys.otherP256] {
            #expect(exchanged(key, peer, .ecdhKeyExchangeStandard).code == -50)
        }
        #expect(exchanged(key.other, TestKeys.otherP256.other, .ecdhKeyExchangeStandard).code == -50)
        #expect(exchanged(TestKeys.rsa, TestKeys.otherP256.other, .ecdhKeyExchangeStandard).code == -50)
        #expect(exchanged(key, TestKeys.otherP256.other, AlgorithmFixture.formerRFC4754).code == -50)
    }
}
