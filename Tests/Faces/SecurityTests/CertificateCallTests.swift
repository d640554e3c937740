import Foundation
import Security
import Testing

@Suite("Certificates")
struct CertificateCallTests {
    private let papers: CertificatePapers

    init() throws {
        papers = try CertificatePapers.made()
    }

    @Test("a certificate gives back the bytes that it was made of")
    func data() throws {
        let again = try #require(SecCertificateCreateWithData(kCFAllocatorDefault, papers.server.der as CFData))
        #expect(SecCertificateCopyData(again) as Data == papers.server.der)
        #expect(again !== papers.server)
        #expect(again == papers.server)
        #expect(again.hash == papers.server.hash)
        #expect(again != papers.root)
        #expect(Set([again, papers.server, papers.root]).count == 2)
    }

    @Test(
        "bytes that are not a certificate make none",
        arguments: [
            Data(), Data([0x30]), Data([0x30, 0x80]), Data(repeating: 0x30, count: 5000), Data("-----BEGIN".utf8),
        ])
    func nonsense(data: Data) {
        #expect(SecCertificateCreateWithData(nil, data as CFData) == nil)
    }

    @Test("a certificate that is cut off, or that something follows, makes none")
    func length() {
        let der = papers.server.der
        for count in stride(from: 0, to: der.count, by: 7) {
            #expect(SecCertificateCreateWithData(nil, der.prefix(count) as CFData) == nil)
        }
        #expect(SecCertificateCreateWithData(nil, (der + [0]) as CFData) == nil)
    }

    @Test("the summary is the common name, else another part of the subject")
    func summary() {
        #expect(SecCertificateCopySubjectSummary(papers.server) as String? == "www.example.com")
        #expect(SecCertificateCopySubjectSummary(papers.nameless) as String? == "Only Organisation")
    }

    @Test("the common name is copied, and its absence is told")
    func commonName() {
        var name: CFString?
        #expect(SecCertificateCopyCommonName(papers.root, &name) == errSecSuccess)
        #expect(name as String? == "Example Root")
        #expect(SecCertificateCopyCommonName(papers.nameless, &name) == errSecInternal)
        #expect(name as String? == "Example Root")
    }

    @Test("addresses come from the subject and the alternative names")
    func emailAddresses() {
        for (certificate, addresses) in [
            (papers.server, ["door@example.com"]), (papers.client, ["client@example.com"]), (papers.root, []),
        ] {
            var found: CFArray?
            #expect(SecCertificateCopyEmailAddresses(certificate, &found) == errSecSuccess)
            #expect(found as? [String] == addresses)
        }
    }

    @Test("normalised names of issuer and subject agree along the chain")
    func normalisedNames() throws {
        let issuer = try #require(SecCertificateCopyNormalizedIssuerSequence(papers.server) as Data?)
        #expect(issuer == SecCertificateCopyNormalizedSubjectSequence(papers.intermediate) as Data?)
        #expect(issuer != SecCertificateCopyNormalizedSubjectSequence(papers.server) as Data?)
        #expect(issuer.first == 0x30)
        let printable = try #require(SecCertificateCopyNormalizedSubjectSequence(papers.old) as Data?)
        #expect(printable.range(of: Data("OLD DOOR".utf8)) != nil)
        #expect(papers.old.der.range(of: Data("Old  Door".utf8)) != nil)
    }

    @Test("the key of a certificate verifies and is public")
    func key() throws {
        let key = try #require(SecCertificateCopyKey(papers.server))
        let attributes = try #require(SecKeyCopyAttributes(key) as? [CFString: Any])
        #expect(attributes[kSecAttrKeyClass] as? String == kSecAttrKeyClassPublic as String)
        #expect(attributes[kSecAttrKeySizeInBits] as? Int == 256)
        #expect((SecKeyCopyExternalRepresentation(key, nil) as Data?)?.count == 65)
        let rsa = try #require(SecCertificateCopyKey(papers.nameless))
        #expect(SecKeyGetBlockSize(rsa) == 256)
    }

    @Test("a key of an unknown kind is not returned")
    func unknownKey() {
        #expect(SecCertificateCopyKey(papers.edwards) == nil)
    }

    @Test("the serial number is the content of its INTEGER")
    func serialNumber() throws {
        var error: Unmanaged<CFError>?
        let number = try #require(SecCertificateCopySerialNumberData(papers.server, &error) as Data?)
        #expect(number.count == 4)
        #expect(error == nil)
        #expect(papers.server.der.range(of: Data([0x02, UInt8(number.count)]) + number) != nil)
    }

    @Test("the dates are those of the certificate")
    func dates() throws {
        let calendar = ISO8601DateFormatter()
        #expect(
            SecCertificateCopyNotValidBeforeDate(papers.old) as Date? == calendar.date(from: "2001-02-01T00:00:00Z"))
        #expect(
            SecCertificateCopyNotValidAfterDate(papers.old) as Date? == calendar.date(from: "2001-09-01T00:00:00Z"))
    }

    @Test("a certificate is an object of its type, for Swift and for C")
    func type() {
        let object: CFTypeRef = papers.root
        #expect(CFGetTypeID(object) == SecCertificateGetTypeID())
        #expect(object is SecCertificate)
        #expect(!(object is SecKey))
        let word = Unmanaged.passUnretained(papers.root).toOpaque().load(fromByteOffset: 16, as: UInt64.self)
        #expect(word == UInt64(SecCertificateGetTypeID()) << 8 | 0x80)
        #expect(papers.root.description.contains("Example Root"))
        #expect(["a": papers.root] as NSDictionary == ["a": papers.root] as NSDictionary)
    }
}
