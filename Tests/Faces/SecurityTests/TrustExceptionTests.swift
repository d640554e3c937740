import Foundation
import LatchkeyPropertyListDER
import Security
import Testing

@Suite("Exceptions of a trust")
struct TrustExceptionTests {
    private let papers: CertificatePapers

    init() throws {
        papers = try CertificatePapers.made()
    }

    /// Of the server's certificate, for a host.
    private func trust(host: String = "other.example.com", anchors: [SecCertificate] = []) throws -> SecTrust {
        try trust([papers.server, papers.intermediate], SecPolicyCreateSSL(true, host as CFString), anchors: anchors)
    }

    private func trust(
        _ certificates: [SecCertificate], _ policy: SecPolicy, anchors: [SecCertificate]
    ) throws -> SecTrust {
        var trust: SecTrust?
        #expect(SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust) == errSecSuccess)
        let made = try #require(trust)
        #expect(SecTrustSetAnchorCertificates(made, anchors as CFArray) == errSecSuccess)
        return made
    }

    private func result(_ trust: SecTrust) -> SecTrustResultType {
        SecTrustEvaluateWithError(trust, nil)
        var result = SecTrustResultType.invalid
        SecTrustGetTrustResult(trust, &result)
        return result
    }

    private func code(_ trust: SecTrust) -> Int? {
        var error: CFError?
        return SecTrustEvaluateWithError(trust, &error) ? nil : error?.code
    }

    @Test("exceptions let everything pass that was found, and only that")
    func everythingFound() throws {
        let first = try trust()
        #expect(result(first) == .recoverableTrustFailure)
        let exceptions = try #require(SecTrustCopyExceptions(first))
        let second = try trust()
        #expect(SecTrustSetExceptions(second, exceptions))
        #expect(result(second) == .proceed)
        #expect(SecTrustEvaluateWithError(second, nil))
        // Both were found, the anchor and the host; that it would expire was not.
        let late = Date().addingTimeInterval(400 * 86_400)
        #expect(SecTrustSetVerifyDate(second, late as CFDate) == errSecSuccess)
        #expect(code(second) == Int(errSecCertificateExpired))
        #expect(result(second) == .recoverableTrustFailure)
    }

    @Test("one exception does not help against another failure")
    func oneOfTwo() throws {
        let onlyAnchor = try trust(host: "www.example.com")
        let exceptions = try #require(SecTrustCopyExceptions(onlyAnchor))
        let both = try trust()
        #expect(SecTrustSetExceptions(both, exceptions))
        #expect(code(both) == Int(errSecHostNameMismatch))
    }

    @Test("exceptions that are not needed leave the result as it is")
    func notNeeded() throws {
        let exceptions = try #require(SecTrustCopyExceptions(trust()))
        let good = try trust(host: "www.example.com", anchors: [papers.root])
        #expect(SecTrustSetExceptions(good, exceptions))
        #expect(result(good) == .unspecified)
    }

    @Test("exceptions are for one certificate, and another one's take away those that were set")
    func otherCertificate() throws {
        let own = try #require(SecTrustCopyExceptions(trust()))
        let client = try trust([papers.client], SecPolicyCreateBasicX509(), anchors: [])
        let foreign = try #require(SecTrustCopyExceptions(client))
        let trust = try trust()
        #expect(SecTrustSetExceptions(trust, own))
        #expect(result(trust) == .proceed)
        #expect(!SecTrustSetExceptions(trust, foreign))
        #expect(result(trust) == .recoverableTrustFailure)
    }

    @Test("nothing takes exceptions away")
    func taken() throws {
        let trust = try trust()
        let exceptions = try #require(SecTrustCopyExceptions(trust))
        #expect(SecTrustSetExceptions(trust, exceptions))
        #expect(result(trust) == .proceed)
        #expect(!SecTrustSetExceptions(trust, nil))
        #expect(result(trust) == .recoverableTrustFailure)
    }

    @Test("no exception helps against a wrong signature or an issuer that is not a CA")
    func fatal() throws {
        for certificates in [[papers.forged, papers.intermediate], [papers.bastard, papers.client]] {
            let trust = try trust(certificates, SecPolicyCreateBasicX509(), anchors: [papers.root])
            let exceptions = try #require(SecTrustCopyExceptions(trust))
            #expect(SecTrustSetExceptions(trust, exceptions))
            #expect(result(trust) == .fatalTrustFailure)
        }
    }

    @Test("bytes that are not exceptions set none")
    func nonsense() throws {
        let trust = try trust()
        let exceptions = try #require(SecTrustCopyExceptions(trust) as Data?)
        var cases = [Data(), Data([0x31]), exceptions.dropLast(), exceptions + [0], Data(count: 100_000)]
        guard case .dictionary(let fields) = try DERReader.decode([UInt8](exceptions)) else {
            Issue.record("no dictionary")
            return
        }
        for (name, value) in [
            ("v", .integer(2)), ("leaf", .data([1])), ("failures", .array([.string("signature")])),
            ("failures", .string("expired")), ("more", .null),
        ] as [(String, PropertyValue)] {
            cases.append(Data(DERWriter.encode(.dictionary(fields.merging([name: value]) { $1 }))))
        }
        for bytes in cases {
            #expect(!SecTrustSetExceptions(trust, bytes as CFData), "\(bytes.count)")
            #expect(result(trust) == .recoverableTrustFailure)
        }
    }

    @Test("the bytes of exceptions are as the format says")
    func format() throws {
        let exceptions = try #require(SecTrustCopyExceptions(trust()) as Data?)
        guard case .dictionary(let fields) = try DERReader.decode([UInt8](exceptions)),
            case .data(let leaf)? = fields["leaf"]
        else {
            Issue.record("no dictionary")
            return
        }
        #expect(fields["v"] == .integer(1))
        #expect(fields["failures"] == .array([.string("host-name"), .string("not-anchored")]))
        #expect(leaf.count == 32)
        #expect(fields.count == 3)
    }
}
