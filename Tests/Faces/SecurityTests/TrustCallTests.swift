import Foundation
import LatchkeyTestSupport
import Security
import Testing

@Suite("Trust")
struct TrustCallTests {
    private let papers: CertificatePapers

    init() throws {
        papers = try CertificatePapers.made()
    }

    /// One evaluation and what becomes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let certificates: @Sendable (CertificatePapers) -> [SecCertificate]
        var policy = SecPolicyCreateBasicX509()
        var anchors: @Sendable (CertificatePapers) -> [SecCertificate] = { [$0.root] }
        /// Days from now.
        var day = 0.0
        let result: SecTrustResultType
        var code: OSStatus = errSecSuccess
        /// The number of certificates in the chain.
        var count: Int?

        static let server: @Sendable (CertificatePapers) -> [SecCertificate] = { [$0.server, $0.intermediate] }

        static func host(_ name: String) -> SecPolicy { SecPolicyCreateSSL(true, name as CFString) }
    }

    private static let cases = [
        Case(
            testDescription: "a chain to an anchor", certificates: Case.server, result: .unspecified, count: 3),
        Case(
            testDescription: "a chain to an anchor that is not a root", certificates: Case.server,
            anchors: { [$0.intermediate] }, result: .unspecified, count: 2),
        Case(
            testDescription: "the anchor itself", certificates: { [$0.root] }, result: .unspecified, count: 1),
        Case(
            testDescription: "certificates of no use beside the leaf",
            certificates: { [$0.server, $0.client, $0.impostor, $0.intermediate, $0.edwards] }, result: .unspecified,
            count: 3),
        Case(
            testDescription: "the right host", certificates: Case.server, policy: Case.host("www.example.com"),
            result: .unspecified),
        Case(
            testDescription: "the right host in capitals", certificates: Case.server,
            policy: Case.host("WWW.Example.COM"), result: .unspecified),
        Case(
            testDescription: "a host that a wildcard covers", certificates: Case.server,
            policy: Case.host("any.wild.example.com"), result: .unspecified),
        Case(
            testDescription: "the right address", certificates: Case.server, policy: Case.host("192.0.2.1"),
            result: .unspecified),
        Case(
            testDescription: "no particular host", certificates: Case.server, policy: SecPolicyCreateSSL(true, nil),
            result: .unspecified),
        Case(
            testDescription: "a client", certificates: { [$0.client] }, policy: SecPolicyCreateSSL(false, nil),
            result: .unspecified),
        Case(
            testDescription: "another host", certificates: Case.server, policy: Case.host("example.com"),
            result: .recoverableTrustFailure, code: errSecHostNameMismatch, count: 3),
        Case(
            testDescription: "a host below what the wildcard covers", certificates: Case.server,
            policy: Case.host("a.b.wild.example.com"), result: .recoverableTrustFailure, code: errSecHostNameMismatch),
        Case(
            testDescription: "another address", certificates: Case.server, policy: Case.host("192.0.2.2"),
            result: .recoverableTrustFailure, code: errSecHostNameMismatch),
        Case(
            testDescription: "an empty host name", certificates: Case.server, policy: Case.host(""),
            result: .recoverableTrustFailure, code: errSecHostNameMismatch),
        Case(
            testDescription: "a client for a server", certificates: { [$0.client] },
            policy: SecPolicyCreateSSL(true, nil), result: .recoverableTrustFailure,
            code: errSecInvalidExtendedKeyUsage),
        Case(
            testDescription: "long after its time", certificates: Case.server, day: 400,
            result: .recoverableTrustFailure, code: errSecCertificateExpired),
        Case(
            testDescription: "before its time", certificates: Case.server, day: -400,
            result: .recoverableTrustFailure, code: errSecCertificateExpired),
        Case(
            testDescription: "a certificate of 2001", certificates: { [$0.old] }, anchors: { [$0.old] },
            result: .recoverableTrustFailure, code: errSecCertificateExpired),
        Case(
            testDescription: "no anchor at all", certificates: Case.server, anchors: { _ in [] },
            result: .recoverableTrustFailure, code: errSecCreateChainFailed, count: 2),
        Case(
            testDescription: "another anchor", certificates: Case.server, anchors: { [$0.nameless] },
            result: .recoverableTrustFailure, code: errSecCreateChainFailed),
        Case(
            testDescription: "a missing intermediate", certificates: { [$0.server] },
            result: .recoverableTrustFailure, code: errSecCreateChainFailed, count: 1),
        Case(
            testDescription: "a root that is not an anchor", certificates: { [$0.server, $0.intermediate, $0.root] },
            anchors: { [$0.nameless] }, result: .recoverableTrustFailure, code: errSecNotTrusted, count: 3),
        Case(
            testDescription: "signed by itself", certificates: { [$0.nameless] },
            result: .recoverableTrustFailure, code: errSecNotTrusted, count: 1),
        Case(
            testDescription: "a weak key", certificates: { [$0.weak] }, anchors: { [$0.weak] },
            result: .recoverableTrustFailure, code: errSecUnsupportedKeySize),
        Case(
            testDescription: "a wrong signature", certificates: { [$0.forged, $0.intermediate] },
            result: .fatalTrustFailure, code: errSecInvalidSignature),
        Case(
            testDescription: "an anchor with the right name and a wrong key", certificates: { [$0.client] },
            anchors: { [$0.impostor] }, result: .recoverableTrustFailure, code: errSecCreateChainFailed, count: 1),
        Case(
            testDescription: "issued by who may not issue", certificates: { [$0.bastard, $0.client] },
            result: .fatalTrustFailure, code: errSecNoBasicConstraintsCA),
        Case(
            testDescription: "an authority below one that allows none",
            certificates: { [$0.deep, $0.limited, $0.intermediate] }, result: .fatalTrustFailure,
            code: errSecPathLengthConstraintExceeded),
        Case(
            testDescription: "revocation that must be ruled out", certificates: Case.server,
            policy: SecPolicyCreateRevocation(kSecRevocationRequirePositiveResponse | kSecRevocationOCSPMethod)
                ?? SecPolicyCreateBasicX509(),
            result: .recoverableTrustFailure, code: errSecIncompleteCertRevocationCheck),
        Case(
            testDescription: "revocation that is looked up where possible", certificates: Case.server,
            policy: SecPolicyCreateRevocation(kSecRevocationUseAnyAvailableMethod) ?? Case.host("none"),
            result: .unspecified),
    ]

    private func trust(
        _ certificates: [SecCertificate], _ policies: CFTypeRef? = nil, anchors: [SecCertificate]? = nil
    ) throws -> SecTrust {
        var trust: SecTrust?
        #expect(SecTrustCreateWithCertificates(certificates as CFArray, policies, &trust) == errSecSuccess)
        let made = try #require(trust)
        if let anchors { #expect(SecTrustSetAnchorCertificates(made, anchors as CFArray) == errSecSuccess) }
        return made
    }

    private func lastResult(_ trust: SecTrust) -> SecTrustResultType? {
        var result = SecTrustResultType.otherError
        return SecTrustGetTrustResult(trust, &result) == errSecSuccess ? result : nil
    }

    @Test("a certificate is believed or not, with its reason", arguments: cases)
    func evaluate(row: Case) throws {
        let certificates = row.certificates(papers)
        let trust = try trust(certificates, row.policy, anchors: row.anchors(papers))
        if row.day != 0 {
            let date = Date().addingTimeInterval(row.day * 86_400)
            #expect(SecTrustSetVerifyDate(trust, date as CFDate) == errSecSuccess)
        }
        #expect(lastResult(trust) == .invalid)
        var error: CFError?
        let isTrusted = SecTrustEvaluateWithError(trust, &error)
        #expect(isTrusted == (row.code == errSecSuccess))
        #expect(lastResult(trust) == row.result)
        if let count = row.count { #expect(SecTrustGetCertificateCount(trust) == count) }
        if isTrusted {
            #expect(error == nil)
        } else {
            let failure = try #require(error)
            #expect(CFErrorGetDomain(failure) as String == NSOSStatusErrorDomain)
            #expect(CFErrorGetCode(failure) == Int(row.code))
            let name = try #require(SecCertificateCopySubjectSummary(certificates[0]) as String?)
            #expect(failure.localizedDescription.contains(name))
            #expect(failure.localizedFailureReason?.isEmpty == false)
            let underlying = try #require(failure.userInfo[NSUnderlyingErrorKey] as? NSError)
            #expect(underlying.domain == NSOSStatusErrorDomain && underlying.code == Int(row.code))
        }
    }

    @Test("a trust is made of one certificate or of several, and of nothing else")
    func creation() throws {
        var trust: SecTrust?
        #expect(SecTrustCreateWithCertificates(papers.root, nil, &trust) == errSecSuccess)
        let made = try #require(trust)
        #expect(CFGetTypeID(made) == SecTrustGetTypeID())
        #expect(made.description.contains("Example Root"))
        let policy = SecPolicyCreateBasicX509()
        for (certificates, policies) in [
            ([] as CFArray, policy), ([papers.root, "x"] as CFArray, policy), ("x" as CFString, policy),
            (papers.root, [] as CFArray), (papers.root, [policy, 5] as CFArray), (papers.root, papers.root),
        ] as [(CFTypeRef, CFTypeRef)] {
            var none: SecTrust?
            #expect(SecTrustCreateWithCertificates(certificates, policies, &none) == errSecParam)
            #expect(none == nil)
        }
    }

    @Test("every policy of several must be met")
    func severalPolicies() throws {
        let policies = [SecPolicyCreateBasicX509(), SecPolicyCreateSSL(true, "other.example.com" as CFString)]
        let trust = try trust([papers.server, papers.intermediate], policies as CFArray, anchors: [papers.root])
        #expect(!SecTrustEvaluateWithError(trust, nil))
        var found: CFArray?
        #expect(SecTrustCopyPolicies(trust, &found) == errSecSuccess)
        #expect(found as? [SecPolicy] == policies)
        #expect(SecTrustSetPolicies(trust, policies[0]) == errSecSuccess)
        #expect(lastResult(trust) == .invalid)
        #expect(SecTrustEvaluateWithError(trust, nil))
        #expect(SecTrustSetPolicies(trust, [] as CFArray) == errSecParam)
        #expect(SecTrustSetPolicies(trust, "x" as CFString) == errSecParam)
        #expect(lastResult(trust) == .unspecified)
    }

    @Test("anchors that are set replace the system's, until both are asked for")
    func anchorsOnly() throws {
        let trust = try trust([papers.server, papers.intermediate])
        var anchors: CFArray?
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors == nil)
        #expect(!SecTrustEvaluateWithError(trust, nil))
        #expect(SecTrustSetAnchorCertificates(trust, [papers.root] as CFArray) == errSecSuccess)
        #expect(lastResult(trust) == .invalid)
        #expect(SecTrustEvaluateWithError(trust, nil))
        #expect(SecTrustCopyCustomAnchorCertificates(trust, &anchors) == errSecSuccess)
        #expect(anchors as? [SecCertificate] == [papers.root])
        #expect(SecTrustSetAnchorCertificatesOnly(trust, false) == errSecSuccess)
        #expect(SecTrustEvaluateWithError(trust, nil))
        #expect(SecTrustSetAnchorCertificates(trust, ["x"] as CFArray) == errSecParam)
        #expect(lastResult(trust) == .unspecified)
        #expect(SecTrustSetAnchorCertificates(trust, nil) == errSecSuccess)
        #expect(!SecTrustEvaluateWithError(trust, nil))
    }

    @Test("the chain is what was built, and its key is the leaf's")
    func chain() throws {
        let trust = try trust([papers.server, papers.client, papers.intermediate], anchors: [papers.root])
        let expected = [papers.server, papers.intermediate, papers.root]
        #expect(SecTrustCopyCertificateChain(trust) as? [SecCertificate] == expected)
        #expect(SecTrustGetCertificateCount(trust) == 3)
        #expect(lastResult(trust) == .unspecified)
        #expect(SecTrustCopyKey(trust) == SecCertificateCopyKey(papers.server))
    }

    @available(*, deprecated)
    @Test("the deprecated calls answer as the new ones")
    func deprecated() throws {
        let trust = try trust([papers.server, papers.intermediate], anchors: [papers.root])
        var result = SecTrustResultType.invalid
        #expect(SecTrustEvaluate(trust, &result) == errSecSuccess)
        #expect(result == .unspecified)
        #expect(SecTrustGetCertificateAtIndex(trust, 2) == papers.root)
        #expect(SecTrustGetCertificateAtIndex(trust, 3) == nil)
        #expect(SecTrustGetCertificateAtIndex(trust, -1) == nil)
        #expect(SecTrustCopyPublicKey(trust) == SecTrustCopyKey(trust))
        #expect(SecCertificateCopyPublicKey(papers.server) == SecTrustCopyKey(trust))
        #expect(SecTrustCopyProperties(trust) == nil)
        let serial = SecCertificateCopySerialNumberData(papers.server, nil)
        #expect(serial != nil && SecCertificateCopySerialNumber(papers.server) == serial)
        #expect(SecCertificateCopySerialNumber(papers.server, nil) == serial)

        for isQueueNamed in [false, true] {
            let answer = Pending {
                let ended = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var answer: (trust: SecTrust, result: SecTrustResultType)?
                let queue = isQueueNamed ? DispatchQueue(label: "trust") : nil
                SecTrustEvaluateAsync(trust, queue) { trust, result in
                    answer = (trust, result)
                    ended.signal()
                }
                ended.wait()
                return answer
            }
            let found = try #require(answer.value(within: 60) ?? nil)
            #expect(found.trust === trust && found.result == .unspecified)
        }
    }

    @available(*, deprecated)
    @Test("the properties of a trust have a sentence for each failure")
    func properties() throws {
        let policy = SecPolicyCreateSSL(true, "other.example.com" as CFString)
        let trust = try trust([papers.server], policy, anchors: [])
        let properties = try #require(SecTrustCopyProperties(trust) as? [[String: String]])
        #expect(properties.count == 2)
        #expect(properties.allSatisfy { $0["type"] == "error" && $0.count == 2 })
        #expect(properties.contains { $0["value"]?.contains("host") == true })
    }

    @Test("the underlying error names the certificates and what is wrong with each")
    func details() throws {
        let policy = SecPolicyCreateSSL(true, "other.example.com" as CFString)
        let trust = try trust([papers.server, papers.intermediate], policy, anchors: [])
        let early = Date().addingTimeInterval(-400 * 86_400)
        #expect(SecTrustSetVerifyDate(trust, early as CFDate) == errSecSuccess)
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(trust, &error))
        let underlying = try #require(error?.userInfo[NSUnderlyingErrorKey] as? NSError)
        let text = underlying.localizedDescription
        #expect(text.contains("Certificate 0 \u{201C}www.example.com\u{201D}: "))
        #expect(text.contains("Certificate 1 \u{201C}Example Intermediate\u{201D}: "))
        #expect(text.contains("not valid yet") && text.contains("host"), "\(text)")
    }

    @Test("what a server sends beside its certificate is taken, and other objects are refused")
    func evidence() throws {
        let trust = try trust([papers.server, papers.intermediate], anchors: [papers.root])
        #expect(SecTrustEvaluateWithError(trust, nil))
        let answer = Data([0x30, 3, 0x0A, 1, 0]) as CFData
        for given in [answer, [answer, answer] as CFArray] as [CFTypeRef] {
            #expect(SecTrustSetOCSPResponse(trust, given) == errSecSuccess)
        }
        #expect(SecTrustSetOCSPResponse(trust, nil) == errSecSuccess)
        #expect(SecTrustSetOCSPResponse(trust, "answer" as CFString) == errSecParam)
        #expect(SecTrustSetOCSPResponse(trust, [answer, 5] as CFArray) == errSecParam)
        #expect(SecTrustSetSignedCertificateTimestamps(trust, [answer] as CFArray) == errSecSuccess)
        #expect(SecTrustSetSignedCertificateTimestamps(trust, nil) == errSecSuccess)
        #expect(SecTrustSetSignedCertificateTimestamps(trust, ["answer"] as CFArray) == errSecParam)
        #expect(lastResult(trust) == .unspecified)
    }

    @Test("the moment of judgement is the one that was set")
    func date() throws {
        let trust = try trust([papers.old], anchors: [papers.old])
        let before = CFAbsoluteTimeGetCurrent()
        #expect((before...CFAbsoluteTimeGetCurrent() + 60).contains(SecTrustGetVerifyTime(trust)))
        let then = try #require(ISO8601DateFormatter().date(from: "2001-05-01T12:00:00Z"))
        #expect(SecTrustSetVerifyDate(trust, then as CFDate) == errSecSuccess)
        #expect(SecTrustGetVerifyTime(trust) == then.timeIntervalSinceReferenceDate)
        #expect(SecTrustEvaluateWithError(trust, nil))
        let never = Date(timeIntervalSinceReferenceDate: .nan)
        #expect(SecTrustSetVerifyDate(trust, never as CFDate) == errSecParam)
        #expect(lastResult(trust) == .unspecified)
    }

    @Test("what is said of the network is remembered")
    func network() throws {
        let trust = try trust([papers.root], anchors: [papers.root])
        var isAllowed: DarwinBoolean = false
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess)
        #expect(isAllowed.boolValue)
        #expect(SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess)
        #expect(!isAllowed.boolValue)
    }

    @Test("the result names the checks that each certificate failed")
    func result() throws {
        let policy = SecPolicyCreateSSL(true, "other.example.com" as CFString)
        let trust = try trust([papers.server, papers.intermediate], policy, anchors: [])
        let late = Date().addingTimeInterval(25 * 86_400)
        #expect(SecTrustSetVerifyDate(trust, late as CFDate) == errSecSuccess)
        let result = try #require(SecTrustCopyResult(trust) as? [CFString: Any])
        #expect(
            result[kSecTrustResultValue] as? UInt32 == SecTrustResultType.recoverableTrustFailure.rawValue)
        #expect(result[kSecTrustEvaluationDate] as? Date == late)
        let details = try #require(result[kSecTrustResultDetails] as? [[String: Bool]])
        #expect(
            details == [
                ["SSLHostname": false, "TemporalValidity": false],
                ["MissingIntermediate": false, "TemporalValidity": false],
            ])
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(trust, &error))
        let reason = try #require(error?.localizedFailureReason)
        for part in ["anchor", "expired", "host"] { #expect(reason.contains(part), "\(reason)") }
    }

    @Test("an evaluation on a queue ends there, with the same answer")
    func async() throws {
        for (anchors, code) in [([papers.root], nil), ([], Int(errSecCreateChainFailed))] {
            let trust = try trust([papers.server, papers.intermediate], anchors: anchors)
            let answer = Pending {
                let queue = DispatchQueue(label: "trust")
                queue.setSpecific(key: place, value: "there")
                let ended = DispatchSemaphore(value: 0)
                nonisolated(unsafe) var answer: (trust: SecTrust, isTrusted: Bool, code: Int?, place: String?)?
                SecTrustEvaluateAsyncWithError(trust, queue) { trust, isTrusted, error in
                    answer = (trust, isTrusted, error?.code, DispatchQueue.getSpecific(key: place))
                    ended.signal()
                }
                ended.wait()
                return answer
            }
            let found = try #require(answer.value(within: 60) ?? nil)
            #expect(found.trust === trust)
            #expect(found.isTrusted == (code == nil))
            #expect(found.code == code)
            #expect(found.place == "there")
        }
    }

    @Test("many threads may set and evaluate one trust")
    func threads() throws {
        let trust = try trust([papers.server, papers.intermediate], anchors: [papers.root])
        let (root, other) = (papers.root, papers.nameless)
        onThreads(8) { index in
            for round in 0..<20 {
                if index == 0 {
                    SecTrustSetAnchorCertificates(trust, [round.isMultiple(of: 2) ? root : other] as CFArray)
                } else {
                    SecTrustEvaluateWithError(trust, nil)
                }
            }
        }
        #expect(!SecTrustEvaluateWithError(trust, nil))
        #expect(SecTrustSetAnchorCertificates(trust, [root] as CFArray) == errSecSuccess)
        #expect(SecTrustEvaluateWithError(trust, nil))
    }
}

private let place = DispatchSpecificKey<String>()
