import Foundation
import LatchkeyAsymmetricKeys
import LatchkeyCertificates
import LatchkeyCryptoSuite
import Testing

@Suite("Certificates")
struct CertificateTests {
    @Test("A certificate says what openssl put into it")
    func contents() throws {
        let workshop = try Workshop()
        let made = try workshop.make(
            "leaf", "/C=CH/O=Example AG/OU=Keys/CN=first.example/CN=Second Näme/emailAddress=a@example.com",
            ["subjectAltName=email:b@example.com,DNS:example.com,IP:10.1.2.3", "subjectKeyIdentifier=hash"],
            from: "20200229235959Z", to: "20500101000000Z")
        let certificate = made.certificate
        #expect(certificate.version == 2)
        #expect(certificate.commonName == "Second Näme")
        #expect(certificate.summary == "Second Näme")
        #expect(certificate.emailAddresses == ["b@example.com", "a@example.com"])
        #expect(certificate.notValidBefore == 604_713_599)
        #expect(certificate.notValidAfter == 1_546_300_800)
        #expect(certificate.isSelfSigned)
        #expect(certificate.issuer == certificate.subject)
        let serial = try workshop.openssl(["x509", "-in", made.certificateFile, "-noout", "-serial"])
        let shown = certificate.serialNumber.drop { $0 == 0 }.map { String(format: "%02X", $0) }.joined()
        #expect(String(decoding: serial, as: UTF8.self) == "serial=\(shown)\n")
        let key = try #require(certificate.publicKey)
        #expect(certificate.publicKeyDigest == key.digest)
        #expect(certificate.subjectKeyIdentifier == key.digest)
    }

    @Test("The PEM text is openssl's own, and other blocks of a text are passed over")
    func pem() throws {
        let workshop = try Workshop()
        let made = try workshop.make("a", "/CN=A")
        let other = try workshop.make("b", "/CN=B", key: .rsa(2048))
        let text = try workshop.bytes("a.pem")
        #expect(Array(made.certificate.pem.utf8) == text)
        let all = try Certificate.all(
            pem: workshop.bytes("b.key") + text + Array("words\n".utf8) + workshop.bytes("b.pem"))
        #expect(all == [made.certificate, other.certificate])
        #expect(try Certificate.all(pem: Array("nothing here".utf8)).isEmpty)
    }
}
