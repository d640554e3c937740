import Foundation
import LatchkeyCertificates
import LatchkeyEncoding
import Testing

/// One evaluation, and what openssl says to the same.
struct TrustCheck {
    let workshop: Workshop
    let leaf: Workshop.Made
    var intermediates: [Workshop.Made] = []
    var anchors: [Workshop.Made] = []
    var policy = TrustEvaluation.Policy.basicX509
    var date = Workshop.noon

    init(
        _ workshop: Workshop, _ leaf: Workshop.Made, _ intermediates: [Workshop.Made] = [], to anchors: [Workshop.Made]
    ) {
        self.workshop = workshop
        self.leaf = leaf
        self.intermediates = intermediates
        self.anchors = anchors
    }

    func with(_ policy: TrustEvaluation.Policy) -> TrustCheck {
        var copy = self
        copy.policy = policy
        return copy
    }

    func on(_ date: Double) -> TrustCheck {
        var copy = self
        copy.date = date
        return copy
    }

    func server(_ hostName: String?) -> TrustCheck { with(.ssl(isServer: true, hostName: hostName)) }

    var evaluation: TrustEvaluation {
        var evaluation = TrustEvaluation(leaf: leaf.certificate, date: WallTime(secondsSince2001: date))
        evaluation.intermediates = intermediates.map(\.certificate)
        evaluation.anchors = anchors.map(\.certificate)
        evaluation.usesSystemAnchors = false
        evaluation.policies = [policy]
        return evaluation
    }

    /// The chain, or why there is none.
    var result: Result<[Certificate], TrustFailure> {
        switch evaluation.outcome() {
        case .trusted(let chain, _): .success(chain)
        case .refused(let failure, _): .failure(failure)
        }
    }

    /// Expects this failure, or none, of the evaluation, and the same of openssl.
    func expect(_ failure: TrustFailure?, location: SourceLocation = #_sourceLocation) throws {
        #expect(result.failure == failure, sourceLocation: location)
        #expect(try opensslTrusts() == (failure == nil), "openssl has another opinion", sourceLocation: location)
    }

    func opensslTrusts() throws -> Bool {
        var arguments = [
            "verify", "-no-CApath", "-no-CAfile", "-no-CAstore", "-partial_chain", "-attime",
            String(Int(date + 978_307_200)),
        ]
        let trusted = try file(anchors)
        let untrusted = try file(intermediates)
        if !anchors.isEmpty { arguments += ["-CAfile", trusted] }
        if !intermediates.isEmpty { arguments += ["-untrusted", untrusted] }
        switch policy {
        case .basicX509, .revocation: arguments += ["-auth_level", "1"]
        case .ssl(let isServer, let hostName):
            arguments += ["-auth_level", "2", "-purpose", isServer ? "sslserver" : "sslclient"]
            if let hostName {
                let isAddress = hostName.contains(":") || hostName.allSatisfy { $0.isNumber || $0 == "." }
                arguments += [isAddress ? "-verify_ip" : "-verify_hostname", hostName]
            }
        }
        let output = (try? workshop.openssl(arguments + [leaf.certificateFile])) ?? Data()
        return String(decoding: output, as: UTF8.self).hasSuffix(": OK\n")
    }

    private func file(_ certificates: [Workshop.Made]) throws -> String {
        let name = "\(UUID().uuidString).pem"
        try workshop.write(name, Array(certificates.map(\.certificate.pem).joined().utf8))
        return workshop.path(name)
    }
}

extension Result {
    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
