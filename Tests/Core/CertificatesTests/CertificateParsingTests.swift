import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCryptoSuite
import Testing

@testable import LatchkeyCertificates

@Suite("Certificates: bytes that cannot be parsed")
struct CertificateParsingTests {
    private func failure(_ der: [UInt8]) -> CertificateFailure? {
        do throws(CertificateFailure) {
            _ = try Certificate(der: der)
            return nil
        } catch {
            return error
        }
    }

    private func isRefused(_ change: (inout TestCertificate) -> Void) -> Bool {
        var test = TestCertificate()
        change(&test)
        guard case .unreadable? = failure(test.der) else { return false }
        return true
    }

    @Test("A certificate that is cut anywhere cannot be parsed, and nothing may follow it")
    func truncated() throws {
        let workshop = try Workshop()
        let made = try workshop.make("leaf", "/CN=leaf", ["subjectAltName=DNS:example.com"])
        for der in [made.certificate.der, TestCertificate().der] {
            #expect(failure(der) == nil)
            for count in der.indices { #expect(failure(Array(der.prefix(count))) != nil) }
            #expect(failure(der + [0]) != nil)
            #expect(failure(der + der) != nil)
        }
    }

    @Test("Bits that are altered anywhere end nothing")
    func altered() throws {
        var test = TestCertificate()
        test.add(extension: ObjectIdentifiers.subjectAlternativeName, [0x30, 6, 0x87, 4, 127, 0, 0, 1])
        let der = test.der
        for index in der.indices {
            for bit in 0..<8 {
                var altered = der
                altered[index] ^= 1 << UInt8(bit)
                guard let certificate = try? Certificate(der: altered) else { continue }
                _ = (certificate.fields, certificate.summary, certificate.emailAddresses, certificate.publicKeyDigest)
                _ = (certificate.publicKey, certificate.isSelfSigned, certificate.normalisedIssuer)
            }
        }
    }

    @Test("BER that is not DER is refused: lengths that are longer than needed, or left open")
    func lengths() {
        let der = TestCertificate().der
        let content = Array(der.dropFirst(3))
        #expect(der[1] == 0x81)
        #expect(failure([0x30, 0x82, 0, der[2]] + content) != nil)
        #expect(failure([0x30, 0x80] + content + [0, 0]) != nil)
        #expect(isRefused { $0.serial = [2, 0x81, 1, 7] })
        #expect(isRefused { $0.subject = [0x30, 0x80, 0, 0] })
        #expect(isRefused { $0.after = [5, 0] })
        #expect(isRefused { $0.issuer = TestCertificate.name(0x2C, [0x0C, 1, 0x41]) })
    }

    @Test("Nesting is limited")
    func nesting() {
        func nested(_ depth: Int) -> [UInt8] {
            (0..<depth).reduce([5, 0]) { inner, _ in TestCertificate.item(0x30, inner) }
        }
        var test = TestCertificate()
        test.subject = TestCertificate.name(0x30, nested(12))
        #expect(failure(test.der) == nil)
        #expect(isRefused { $0.subject = TestCertificate.name(0x30, nested(30)) })
        #expect(isRefused { $0.subject = TestCertificate.name(0x30, nested(2000)) })
        #expect(failure(Array(repeatElement([0x30, 0x80], count: 100_000).joined())) != nil)
    }

    @Test("More than a mebibyte is not looked at")
    func size() {
        let count = Certificate.byteLimit + 1
        #expect(failure([UInt8](repeating: 0x30, count: count)) == .tooLarge(what: "certificate of \(count) bytes"))
        #expect(throws: CertificateFailure.tooLarge(what: "text of 16777217 bytes")) {
            try Certificate.all(pem: [UInt8](repeating: 0x2D, count: (16 << 20) + 1))
        }
    }

    @Test("There are versions 1 to 3")
    func versions() throws {
        var test = TestCertificate()
        #expect(try test.certificate.version == 2)
        test.version = TestCertificate.item(0xA0, [2, 1, 1])
        #expect(try test.certificate.version == 1)
        test.version = []
        #expect(try test.certificate.version == 0)
        for version in [[2, 1, 0], [2, 1, 3], [2, 1, 0xFF], [2, 2, 0, 2], [2, 0], [4, 1, 2]] as [[UInt8]] {
            #expect(isRefused { $0.version = TestCertificate.item(0xA0, version) })
        }
    }

    @Test("The serial number keeps its bytes, up to 37 of them")
    func serials() throws {
        for content in [[0], [7], [0, 0x80], [0x80], [0xFF, 0x7F], [1] + [UInt8](repeating: 9, count: 36)] as [[UInt8]]
        {
            var test = TestCertificate()
            test.serial = TestCertificate.item(2, content)
            #expect(try test.certificate.serialNumber == content)
        }
        #expect(isRefused { $0.serial = [2, 0] })
        #expect(isRefused { $0.serial = TestCertificate.item(2, [UInt8](repeating: 9, count: 38)) })
        #expect(isRefused { $0.serial = [4, 1, 7] })
    }

    @Test(
        "Dates are read in each form that occurs",
        arguments: [
            (0x17, "010101000000Z", 0), (0x17, "491231235959Z", 1_546_300_799), (0x17, "500101000000Z", -1_609_459_200),
            (0x17, "0101010000Z", 0), (0x17, "010101010000+0100", 0), (0x17, "001231230000-0100", 0),
            (0x18, "20010101000000Z", 0), (0x18, "99991231235959Z", 252_423_993_599),
            (0x18, "00000101000000Z", -63_145_526_400),
            (0x18, "20000229000000Z", -26_524_800),
        ] as [(UInt8, String, Double)])
    func dates(tag: UInt8, text: String, seconds: Double) throws {
        let item = DERItem(tag: tag, whole: [], content: Array(text.utf8)[...])
        #expect(DERMoment.seconds(item) == seconds)
    }

    @Test(
        "Dates that do not exist are refused",
        arguments: [
            (0x17, "010101000000"), (0x17, ""), (0x17, "010229000000Z"), (0x17, "011301000000Z"),
            (0x17, "010100000000Z"),
            (0x17, "010101240000Z"), (0x17, "010101006000Z"), (0x17, "010101000060Z"), (0x17, "-10101000000Z"),
            (0x17, "010101000000+2500"), (0x17, "010101000000Z "), (0x18, "21000229000000Z"),
            (0x18, "20010101000000.5Z"),
            (0x18, "-0010101000000Z"), (0x18, "123456789012345678Z"), (0x0C, "20010101000000Z"),
            (0x17, "01\0101000000Z"),
        ] as [(UInt8, String)])
    func noDates(tag: UInt8, text: String) {
        #expect(isRefused { $0.notBefore = TestCertificate.item(tag, Array(text.utf8)) })
        #expect(isRefused { $0.notAfter = TestCertificate.item(tag, Array(text.utf8)) })
    }

    @Test("The digest of a key is the same whether its point is compressed or not")
    func compressedPoint() throws {
        let whole = TestCertificate()
        var compressed = whole
        // The generator's y is odd.
        let point = [3] + TestCertificate.point[1...32]
        compressed.publicKey = TestCertificate.item(0x30, TestCertificate.p256, TestCertificate.item(3, [0], point))
        #expect(try whole.certificate.publicKeyDigest == sha1(TestCertificate.point))
        #expect(try compressed.certificate.publicKeyDigest == whole.certificate.publicKeyDigest)
        #expect(try whole.certificate.publicKey?.digest == whole.certificate.publicKeyDigest)
        if let key = try compressed.certificate.publicKey {
            #expect(try key.digest == whole.certificate.publicKeyDigest)
        }
    }

    @Test("A certificate of a key that is not known here is one all the same")
    func otherKeys() throws {
        var test = TestCertificate()
        let ed25519 = TestCertificate.item(0x30, TestCertificate.item(6, [0x2B, 0x65, 0x70]))
        test.publicKey = TestCertificate.item(
            0x30, ed25519, TestCertificate.item(3, [0], [UInt8](repeating: 9, count: 32)))
        #expect(try test.certificate.publicKey == nil)
        #expect(try test.certificate.publicKeyDigest == sha1([UInt8](repeating: 9, count: 32)))
        #expect(isRefused { $0.publicKey = TestCertificate.item(0x30, ed25519, [3, 0]) })
        #expect(isRefused { $0.publicKey = TestCertificate.item(0x30, ed25519, [3, 2, 4, 0xF0]) })
    }

    @Test(
        "A text with a damaged block is refused as a whole",
        arguments: [
            "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----\n",
            "-----BEGIN CERTIFICATE-----\nAAAA\n",
        ])
    func damagedText(text: String) {
        #expect(throws: CertificateFailure.self) { try Certificate.all(pem: Array(text.utf8)) }
    }
}
