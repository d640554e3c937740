import Foundation
import Security
import Testing

@Suite("Fields of certificates")
struct CertificateValuesTests {
    private let server: SecCertificate

    init() throws {
        server = try CertificatePapers.made().server
    }

    private func values(_ keys: [CFString]?) throws -> [String: [String: Any]] {
        var error: Unmanaged<CFError>?
        let values = SecCertificateCopyValues(server, keys.map { $0 as CFArray }, &error)
        #expect(error == nil)
        return try #require(values as? [String: [String: Any]])
    }

    @Test("dates are numbers of seconds")
    func date() throws {
        let field = try #require(try values(nil)[kSecOIDX509V1ValidityNotAfter as String])
        let seconds = try #require(field[kSecPropertyKeyValue as String] as? NSNumber)
        #expect(field[kSecPropertyKeyType as String] as? String == kSecPropertyTypeNumber as String)
        #expect(field[kSecPropertyKeyLabel as String] as? String == "Not Valid After")
        #expect(field[kSecPropertyKeyLocalizedLabel as String] as? String == "Not Valid After")
        #expect(
            Date(timeIntervalSinceReferenceDate: seconds.doubleValue)
                == SecCertificateCopyNotValidAfterDate(server) as Date?)
    }

    @Test("a name is a section of its parts, in their order")
    func name() throws {
        let field = try #require(try values(nil)[kSecOIDX509V1SubjectName as String])
        #expect(field[kSecPropertyKeyType as String] as? String == kSecPropertyTypeSection as String)
        let parts = try #require(field[kSecPropertyKeyValue as String] as? [[String: Any]])
        #expect(
            parts.map { $0[kSecPropertyKeyLabel as String] as? String } == [
                kSecOIDCountryName as String, kSecOIDOrganizationName as String,
                kSecOIDOrganizationalUnitName as String, kSecOIDCommonName as String,
            ])
        #expect(
            parts.map { $0[kSecPropertyKeyValue as String] as? String } == [
                "DE", "Example", "Doors", "www.example.com",
            ])
    }

    @Test("every field has a label, a type and a value")
    func complete() throws {
        let all = try values(nil)
        for key in [
            kSecOIDX509V1Version, kSecOIDX509V1SerialNumber, kSecOIDX509V1IssuerName, kSecOIDX509V1SubjectName,
            kSecOIDX509V1ValidityNotBefore, kSecOIDX509V1ValidityNotAfter, kSecOIDSubjectAltName,
            kSecOIDExtendedKeyUsage, kSecOIDBasicConstraints,
        ] {
            #expect(all[key as String] != nil, "\(key)")
        }
        for (key, field) in all {
            #expect(field.count == 4, "\(key)")
            #expect(field[kSecPropertyKeyLabel as String] is String, "\(key)")
            #expect(field[kSecPropertyKeyValue as String] != nil, "\(key)")
        }
    }

    @Test("only what is asked for is given")
    func filter() throws {
        #expect(
            try Set(values([kSecOIDX509V1SubjectName, "1.2.3" as CFString]).keys) == [
                kSecOIDX509V1SubjectName as String
            ])
        #expect(try values([]).isEmpty)
    }
}
