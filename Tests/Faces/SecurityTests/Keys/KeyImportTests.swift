import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import Testing

@testable import Security

/// Reference 9.3 and 9.4.
@Suite("Keys from bytes and back")
struct KeyImportTests {
    private func imported(_ data: Data, _ attributes: [CFString: Any]) -> (key: SecKey?, code: Int?) {
        var error: Unmanaged<CFError>?
        let key = SecKeyCreateWithData(data as CFData, attributes as CFDictionary, &error)
        return (key, error?.takeRetainedValue().code)
    }

    private func bytes(_ key: SecKey) throws -> Data {
        try #require(SecKeyCopyExternalRepresentation(key, nil) as Data?)
    }

    @Test("external representations have the form of their kind", arguments: TestKeys.all)
    func forms(key: SecKey) throws {
        let (ofPrivate, ofPublic) = try (bytes(key), bytes(key.other))
        if key.isElliptic {
            let count = SecKeyGetBlockSize(key)
            #expect(ofPublic.count == 2 * count + 1)
            #expect(ofPrivate.count == 3 * count + 1)
            #expect(ofPublic.first == 4)
            #expect(ofPrivate.prefix(ofPublic.count) == ofPublic)
        } else {
            #expect(ofPublic.first == 0x30)
            #expect(ofPrivate.first == 0x30)
        }
    }

    @Test("a key comes back from its bytes, however type and class are written", arguments: TestKeys.all)
    func roundTrip(key: SecKey) throws {
        let number = key.isElliptic ? 73 : 42
        let types: [Any] = [String(number), number, NSNumber(value: number), "\(number)" as NSString]
        for type in types {
            for half in [0, 1] {
                let original = half == 1 ? key : key.other
                for keyClass: Any in [half, "\(half)", NSString(string: "\(half)")] {
                    let (copy, code) = try imported(
                        bytes(original), [kSecAttrKeyType: type, kSecAttrKeyClass: keyClass])
                    #expect(code == nil)
                    #expect(copy == original)
                    #expect(copy?.hash == original.hash)
                    #expect(try bytes(#require(copy)) == bytes(original))
                }
            }
        }
    }

    @Test("a size that is wrong is ignored")
    func size() throws {
        let (key, _) = try imported(
            bytes(TestKeys.p384),
            [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate, kSecAttrKeySizeInBits: 256])
        #expect(key == TestKeys.p384)
        let attributes = try #require(key.flatMap(SecKeyCopyAttributes) as? [CFString: Any])
        #expect(attributes[kSecAttrKeySizeInBits] as? Int == 384)
    }

    struct Refused: CustomTestStringConvertible, @unchecked Sendable {
        let name: String
        let data: Data
        let attributes: [CFString: Any]
        let code: Int
        var testDescription: String { name }
    }

    static let refused: [Refused] = {
        let ec: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
        let ecPublic: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPublic]
        let rsa: [CFString: Any] = [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
        let rsaPublic: [CFString: Any] = [
            kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        let key = SecKeyCopyExternalRepresentation(TestKeys.p256, nil)! as Data
        let point = key.prefix(65)
        let rsaKey = SecKeyCopyExternalRepresentation(TestKeys.rsa, nil)! as Data
        let rsaPoint = SecKeyCopyExternalRepresentation(TestKeys.rsa.other, nil)! as Data
        func row(_ name: String, _ data: Data, _ attributes: [CFString: Any], _ code: Int = -50) -> Refused {
            Refused(name: name, data: data, attributes: attributes, code: code)
        }
        func changed(_ attributes: [CFString: Any], _ key: CFString, _ value: Any?) -> [CFString: Any] {
            var attributes = attributes
            attributes[key] = value
            return attributes
        }
        var offCurve = point
        offCurve[64] ^= 1
        var compressed = Data([2]) + point[1..<33]
        compressed[0] = 2 + point[64] % 2
        var otherNumber = key
        otherNumber[96] ^= 1
        let spki =
            Data([0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08])
            + Data([0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00]) + point
        return [
            row("nothing said", key, [:]), row("no class", key, changed(ec, kSecAttrKeyClass, nil)),
            row("no type", key, changed(ec, kSecAttrKeyType, nil)),
            row("symmetric", key, changed(ec, kSecAttrKeyClass, kSecAttrKeyClassSymmetric), -4),
            row("symmetric AES", key, [kSecAttrKeyType: kSecAttrKeyTypeAES, kSecAttrKeyClass: 2], -4),
            row("no such class", key, changed(ec, kSecAttrKeyClass, 3)),
            row("class is data", key, changed(ec, kSecAttrKeyClass, Data([1]))),
            row("class is text", key, changed(ec, kSecAttrKeyClass, "private")),
            row("DSA", key, changed(ec, kSecAttrKeyType, kSecAttrKeyTypeDSA)),
            row("type is text", key, changed(ec, kSecAttrKeyType, "EC")),
            row("empty", Data(), ec), row("empty public", Data(), ecPublic), row("empty RSA", Data(), rsa),
            row("short", key.dropLast(), ec), row("long", key + [0], ec), row("one byte", Data([4]), ec),
            row("private as public", key, ecPublic), row("public as private", Data(point), ec),
            row("off the curve", offCurve, ecPublic), row("compressed", compressed, ecPublic),
            row("number of another key", otherNumber, ec), row("SubjectPublicKeyInfo", spki, ecPublic),
            row("number zero", Data(point) + Data(count: 32), ec),
            row("zeros", Data(count: 97), ec), row("infinity", Data([0]), ecPublic),
            row("EC as RSA", key, rsa), row("RSA as EC", rsaKey, ec),
            row("RSA private as public", rsaKey, rsaPublic), row("RSA public as private", rsaPoint, rsa),
            row("RSA cut", rsaKey.dropLast(), rsa), row("RSA with more", rsaKey + [0], rsa),
            row("RSA public with more", rsaPoint + [0], rsaPublic), row("RSA of nothing", Data([0x30, 0]), rsaPublic),
        ]
    }()

    @Test("bytes that are not a key are refused, with an error", arguments: refused)
    func refusals(row: Refused) {
        let (key, code) = imported(row.data, row.attributes)
        #expect(key == nil)
        #expect(code == row.code)
        #expect(SecKeyCreateWithData(row.data as CFData, row.attributes as CFDictionary, nil) == nil)
    }

    @Test("the bytes are copied")
    func copied() throws {
        let data = NSMutableData(data: try bytes(TestKeys.p256))
        let key = try #require(
            SecKeyCreateWithData(
                data, [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeyClass: kSecAttrKeyClassPrivate] as CFDictionary,
                nil))
        data.resetBytes(in: NSRange(location: 0, length: data.length))
        #expect(key == TestKeys.p256)
        #expect(try bytes(key) == bytes(TestKeys.p256))
    }

    @Test("a key and a signature of openssl's certificate fit")
    func fromOpenSSL() throws {
        let key = TestCertificates.key
        #expect(try bytes(key) == TestCertificates.keyData)
        #expect(key.publicKey.digest == TestCertificates.certificate.publicKeyDigest)
    }
}
