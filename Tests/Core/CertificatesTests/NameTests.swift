import Foundation
import Testing

@testable import LatchkeyCertificates

@Suite("Names of certificates")
struct NameTests {
    private static let printable: UInt8 = 0x13

    @Test(
        "PrintableString loses case and blanks that do not matter",
        arguments: [
            ("Example", "EXAMPLE"), ("  Two   words\t", "TWO WORDS"), ("a\t \tb", "A B"), ("", ""), (" ", ""),
            ("UPPER 1-2+3", "UPPER 1-2+3"), ("line\nend", "LINE\nEND"), ("a@[`{z", "A@[`{Z"),
        ])
    func printable(text: String, normalised: String) {
        let name = TestCertificate.name(Self.printable, Array(text.utf8))
        #expect(Certificate.normalised(name: name) == TestCertificate.name(Self.printable, Array(normalised.utf8)))
    }

    @Test("Texts of other types stand as they are", arguments: [0x0C, 0x14, 0x16, 0x1A, 0x1E] as [UInt8])
    func others(tag: UInt8) {
        let name = TestCertificate.name(tag, Array("  Two   words ".utf8))
        #expect(Certificate.normalised(name: name) == name)
    }

    @Test("Lengths are written anew, sets keep their order, and what is normalised stays")
    func lengths() throws {
        let long = Array(repeatElement(UInt8(ascii: "x"), count: 120)) + Array(repeatElement(0x20, count: 300))
        let name = TestCertificate.item(
            0x30,
            TestCertificate.item(
                0x31,
                TestCertificate.item(0x30, TestCertificate.item(6, [0x55, 4, 11]), TestCertificate.item(0x13, long)),
                TestCertificate.item(0x30, TestCertificate.item(6, [0x55, 4, 3]), TestCertificate.item(0x13, [0x61]))))
        let normalised = try #require(Certificate.normalised(name: name))
        let expected = TestCertificate.item(
            0x30,
            TestCertificate.item(
                0x31,
                TestCertificate.item(
                    0x30, TestCertificate.item(6, [0x55, 4, 11]),
                    TestCertificate.item(0x13, Array(repeatElement(UInt8(ascii: "X"), count: 120)))),
                TestCertificate.item(0x30, TestCertificate.item(6, [0x55, 4, 3]), TestCertificate.item(0x13, [0x41]))))
        #expect(normalised == expected)
        #expect(Certificate.normalised(name: normalised) == normalised)
        #expect(Certificate.normalised(name: [0x30, 0]) == [0x30, 0])
    }

    @Test(
        "Bytes that are not a name have no other form",
        arguments: [
            [], [0x30], [0x31, 0], [0x30, 2, 0x31, 0], [0x30, 0, 0], [0x30, 0x80, 0, 0],
            [0x30, 4, 0x31, 2, 0x30, 0],
            TestCertificate.item(0x30, TestCertificate.item(0x31, TestCertificate.item(0x30, [6, 0, 5, 0]))),
            TestCertificate.item(0x30, TestCertificate.item(0x31, TestCertificate.item(0x30, [6, 1, 5, 5, 0, 5, 0]))),
        ] as [[UInt8]])
    func none(bytes: [UInt8]) {
        #expect(Certificate.normalised(name: bytes) == nil)
    }

    @Test("Every certificate of one authority has the same normalised issuer as the authority has a subject")
    func issuers() throws {
        let workshop = try Workshop()
        let root = try workshop.make("root", "/C=ch/O=  Big   Company /CN=Root", Workshop.authority)
        let leaf = try workshop.make("leaf", "/CN=leaf", by: root)
        #expect(leaf.certificate.normalisedIssuer == root.certificate.normalisedSubject)
        #expect(root.certificate.normalisedSubject != root.certificate.subject)
        #expect(Certificate.normalised(name: root.certificate.subject) == root.certificate.normalisedSubject)
    }

    @Test(
        "Texts are read by what their type says",
        arguments: [
            (0x0C, Array("Zürich".utf8), "Zürich"), (0x13, Array("plain".utf8), "plain"),
            (0x14, [0x5A, 0xFC, 0x72], "Zür"), (0x16, Array("a@b".utf8), "a@b"),
            (0x1E, [0x00, 0x5A, 0x26, 0x03], "Z☃"),
            (0x1E, [0xD8, 0x3D, 0xDD, 0x11], "🔑"), (0x1C, [0, 1, 0xF5, 0x11], "🔑"), (0x0C, [0xC3], nil),
            (0x0C, [0xC0, 0x80], nil),
            (0x13, [0xFC], nil), (0x1E, [0x5A], nil), (0x1E, [0xD8, 0x3D], nil), (0x1C, [0, 0x11, 0, 0], nil),
            (0x1C, [0, 0, 0x5A], nil), (0x02, [1], nil),
            (0x0C, Array("good.example\0.evil".utf8), "good.example\0.evil"),
        ] as [(UInt8, [UInt8], String?)])
    func texts(tag: UInt8, bytes: [UInt8], text: String?) throws {
        #expect(DERText.string(DERItem(tag: tag, whole: [], content: bytes[...])) == text)
        var test = TestCertificate()
        test.subject = TestCertificate.name(tag, bytes)
        // libcrypto refuses names of which it cannot read the texts.
        guard let certificate = try? test.certificate else { return }
        #expect(certificate.commonName == text)
    }

    @Test("A NUL in a name is a character like others")
    func nul() throws {
        var test = TestCertificate()
        test.subject = TestCertificate.name(0x0C, Array("good.example\0.evil".utf8))
        #expect(try test.certificate.commonName == "good.example\0.evil")
        #expect(try test.certificate.summary == "good.example\0.evil")
        test.add(
            extension: ObjectIdentifiers.subjectAlternativeName,
            TestCertificate.item(0x30, TestCertificate.item(0x81, Array("a@good\0.evil".utf8))))
        #expect(try test.certificate.emailAddresses == ["a@good\0.evil"])
    }

    @Test("A name may be long")
    func long() throws {
        var test = TestCertificate()
        let text = String(repeating: "long ", count: 100_000)
        test.subject = TestCertificate.name(0x0C, Array(text.utf8))
        #expect(try test.certificate.commonName == text)
    }

    @Test(
        "The summary is the most specific name there is",
        arguments: [
            (["3": "common", "11": "unit", "10": "organisation"], "common"),
            (["11": "unit", "10": "organisation"], "unit"),
            (["10": "organisation", "3": ""], "organisation"), (["6": "CH"], "a@example.com"),
        ])
    func summary(attributes: [String: String], summary: String) throws {
        var test = TestCertificate()
        test.subject = TestCertificate.name(
            attributes.map { ([0x55, 4, UInt8($0.key) ?? 0], 0x0C, Array($0.value.utf8)) })
        test.add(
            extension: ObjectIdentifiers.subjectAlternativeName,
            TestCertificate.item(
                0x30, TestCertificate.item(0x82, Array("example.com".utf8)),
                TestCertificate.item(0x81, Array("a@example.com".utf8))))
        #expect(try test.certificate.summary == summary)
    }

    @Test("Without any name there is no summary")
    func noSummary() throws {
        var test = TestCertificate()
        test.subject = [0x30, 0]
        #expect(try test.certificate.summary == nil)
        #expect(try test.certificate.commonName == nil)
        #expect(try test.certificate.emailAddresses == [])
        test.add(extension: ObjectIdentifiers.subjectAlternativeName, [0x30, 3, 0x81, 5, 1])
        #expect(try test.certificate.emailAddresses == [])
        test.add(extension: ObjectIdentifiers.subjectAlternativeName, [0x30, 6, 0x87, 4, 127, 0, 0, 1])
        #expect(try test.certificate.summary == "127.0.0.1")
    }
}
