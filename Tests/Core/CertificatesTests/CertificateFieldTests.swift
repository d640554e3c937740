import Foundation
import Testing

@testable import LatchkeyCertificates

@Suite("Certificates: what is shown of them")
struct CertificateFieldTests {
    @Test("The fields say what the certificate says, in its order")
    func fields() throws {
        let workshop = try Workshop()
        let root = try workshop.make("root", "/C=CH/CN=Root", Workshop.authority)
        let made = try workshop.make(
            "leaf", "/CN=Leaf", by: root,
            [
                "basicConstraints=critical,CA:TRUE,pathlen:3",
                "keyUsage=critical,digitalSignature,keyCertSign,decipherOnly",
                "extendedKeyUsage=serverAuth,1.2.3.4", "subjectKeyIdentifier=hash", "authorityKeyIdentifier=keyid",
                "subjectAltName=DNS:a.example,email:b@example.com,URI:https://c,IP:1.2.3.4,IP:fe80::1,RID:1.2.3,dirName:d",
                "1.2.3.5=DER:05:00", "[d]", "CN=Directory",
            ], from: "20260601120000Z")
        let fields = made.certificate.fields
        let base = "2.16.840.1.113741.2.1."
        #expect(
            fields.map(\.identifier) == [
                "1.1.1.2", "1.1.1.3", "1.1.1.5", "1.1.1.6", "1.1.1.7", "1.1.1.8", "1.1.1.9", "1.1.1.10",
            ]
            .map { base + String($0.dropFirst(2)) }
                + ["2.5.29.19", "2.5.29.15", "2.5.29.37", "2.5.29.14", "2.5.29.35", "2.5.29.17", "1.2.3.5"]
                + [base + "3.2.1", base + "3.2.2"])
        func value(_ label: String) -> CertificateField.Value? { fields.first { $0.label == label }?.value }
        func lines(_ label: String) -> [String] {
            guard case .section(let lines)? = value(label) else { return [] }
            return lines.map { line in
                switch line.value {
                case .text(let text): "\(line.label): \(text)"
                case .data(let data): "\(line.label): \(data.count) bytes"
                case .date: "\(line.label): date"
                case .section(let inner): "\(line.label): \(inner.map(\.label))"
                }
            }
        }
        #expect(value("Version") == .text("3"))
        #expect(value("Not Valid Before") == .date(Workshop.noon))
        #expect(lines("Subject Name") == ["Common Name: Leaf"])
        #expect(lines("Issuer Name") == ["Country or Region: CH", "Common Name: Root"])
        #expect(lines("Public Key Algorithm") == ["Algorithm: Elliptic Curve Public Key"])
        #expect(lines("Signature Algorithm") == ["Algorithm: ECDSA with SHA-256"])
        #expect(
            lines("Basic Constraints") == ["Critical: Yes", "Certificate Authority: Yes", "Path Length Constraint: 3"])
        #expect(lines("Key Usage") == ["Critical: Yes", "Usage: Digital Signature, Key Cert Sign, Decipher Only"])
        #expect(lines("Extended Key Usage") == ["Critical: No", "Purpose: Server Authentication", "Purpose: 1.2.3.4"])
        #expect(lines("Subject Key Identifier") == ["Critical: No", "Key ID: 20 bytes"])
        #expect(lines("Authority Key Identifier") == ["Critical: No", "Key ID: 20 bytes"])
        #expect(
            lines("Subject Alternative Name") == [
                "Critical: No", "DNS Name: a.example", "Email Address: b@example.com", "URI: https://c",
                "IP Address: 1.2.3.4",
                "IP Address: fe80:0:0:0:0:0:0:1", "Other Name: 2 bytes", "Directory Name: [\"Common Name\"]",
            ])
        #expect(lines("1.2.3.5") == ["Critical: No", "Data: 2 bytes"])
        guard case .data(let signature)? = value("Signature"), case .data(let key)? = value("Public Key") else {
            Issue.record("no signature")
            return
        }
        #expect(made.certificate.der.suffix(signature.count).elementsEqual(signature))
        #expect(key.first == 4 && key.count == 65)
    }

    @Test(
        "An extension that cannot be read shows its bytes",
        arguments: [
            [0x55, 0x1D, 14], [0x55, 0x1D, 15], [0x55, 0x1D, 17], [0x55, 0x1D, 19], [0x55, 0x1D, 35], [0x55, 0x1D, 37],
        ] as [[UInt8]])
    func unreadable(identifier: [UInt8]) throws {
        var test = TestCertificate()
        test.add(extension: identifier, [0x30, 9])
        let field = try test.certificate.fields.first { $0.identifier == ObjectIdentifiers.dotted(identifier) }
        guard case .section(let lines)? = field?.value else {
            Issue.record("not shown")
            return
        }
        #expect(lines.last?.value == .data([0x30, 9]))
    }

    @Test(
        "Object identifiers are numbers with dots",
        arguments: [
            ([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D], "1.2.840.113549"), ([0x55, 4, 3], "2.5.4.3"),
            ([0x88, 0x37, 3], "2.999.3"),
            ([0], "0.0"), ([], ""), ([0x2A, 0x80], "1.2"),
            ([0x2A] + [UInt8](repeating: 0xFF, count: 12) + [1, 5], "1.2.?.5"),
            ([UInt8](repeating: 0xFF, count: 12) + [1, 5], "?.5"),
        ] as [([UInt8], String)])
    func dotted(content: [UInt8], text: String) {
        #expect(ObjectIdentifiers.dotted(content) == text)
    }
}
