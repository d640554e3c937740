package import ArgumentParser
import Foundation
import LatchkeyCertificates
import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeyItemModel
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// `latchkey find-identity`, with the flags of macOS's `security`.
package struct FindIdentity: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-identity", abstract: "Show the identities: certificates with their private keys.",
        discussion: """
            An identity is valid if its certificate leads to an anchor of this system, today and for the policy. \
            Identities whose key asks for a person are left out.
            """)

    /// The policies of macOS's tool that can be judged here.
    package enum PolicyName: String, CaseIterable, Sendable {
        case basic
        case sslClient = "ssl-client"
        case sslServer = "ssl-server"

        var title: String {
            switch self {
            case .basic: "X.509 Basic"
            case .sslClient: "SSL (client)"
            case .sslServer: "SSL (server)"
            }
        }

        func policy(name: String?) -> TrustEvaluation.Policy {
            switch self {
            case .basic: .basicX509
            case .sslClient: .ssl(isServer: false, hostName: nil)
            case .sslServer: .ssl(isServer: true, hostName: name)
            }
        }
    }

    @Flag(name: .customShort("v"), help: "Valid identities only.")
    package var onlyValid = false

    @Option(
        name: .customShort("p"),
        help: ArgumentHelp(
            "basic (the default), ssl-client or ssl-server; may be given several times.", valueName: "policy"))
    package var policies: [String] = []

    @Option(
        name: .customShort("s"),
        help: ArgumentHelp("The host that a server's certificate must be for.", valueName: "name"))
    package var name: String?

    @OptionGroup package var group: GroupOption
    @OptionGroup package var common: CommonOptions

    package init() {}

    package mutating func validate() throws {
        for policy in policies where PolicyName(rawValue: policy) == nil {
            let known = PolicyName.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("The policy \(policy) is not judged here. One of: \(known).")
        }
        guard name == nil || policies.contains(PolicyName.sslServer.rawValue) else {
            throw ValidationError("-s names a server and goes with -p ssl-server.")
        }
    }

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: group.accessGroup, secrets: common.secrets)
        let (parts, locked) = try KeychainReading(device: device, owner: owner).parts(of: ["idnt"], withSecrets: false)
        let stored = try CertificateLookup(device: device, owner: owner).all().certificates
        let places = Dictionary(stored.map { ($0.key, $0.certificate) }) { first, _ in first }
        var identities: [Certificate] = []
        for attributes in parts.flatMap(\.attributes) {
            let key = [.issuer, .serialNumber, .accessGroup].map { attributes[$0] ?? .null }
            guard let certificate = places[key], !identities.contains(certificate) else { continue }
            identities.append(certificate)
        }
        let now = WallTime(secondsSince2001: Date().timeIntervalSinceReferenceDate)
        let names = policies.isEmpty ? [.basic] : policies.compactMap(PolicyName.init(rawValue:))
        var text = ""
        var documents: [JSONValue] = []
        for policy in names {
            let judged = identities.map { identity in
                var evaluation = TrustEvaluation(leaf: identity, date: now)
                evaluation.intermediates = stored.map(\.certificate)
                evaluation.policies = [policy.policy(name: name)]
                return Judged(certificate: identity, outcome: evaluation.outcome())
            }
            text += "Policy: \(policy.title)\n" + Self.text(judged, onlyValid: onlyValid)
            documents.append(
                .object([
                    ("policy", .string(policy.rawValue)),
                    ("identities", .array(judged.filter { !onlyValid || $0.isValid }.map(\.json))),
                ]))
        }
        if !locked.isEmpty {
            text += "These classes are locked and not looked at: \(locked.joined(separator: ", ")).\n"
        }
        return Report(
            pieces: [.text(text)],
            json: .object([
                ("policies", .array(documents)), ("lockedClasses", .array(locked.map(JSONValue.string))),
            ]))
    }

    /// The two lists of macOS's tool.
    private static func text(_ judged: [Judged], onlyValid: Bool) -> String {
        let valid = judged.filter(\.isValid)
        let matching = list(judged.map { $0.line + ($0.why.map { " (\($0))" } ?? "") })
        var text = onlyValid ? "" : "  Matching identities\n\(matching)     \(judged.count) identities found\n\n"
        text += "  Valid identities only\n\(list(valid.map(\.line)))     \(valid.count) valid identities found\n"
        return text
    }

    private static func list(_ lines: [String]) -> String {
        lines.enumerated().map { "  \($0 + 1)) \($1)\n" }.joined()
    }

    /// An identity and what was found of its certificate.
    private struct Judged {
        let certificate: Certificate
        let outcome: TrustEvaluation.Outcome

        var isValid: Bool { why == nil }

        /// The reason why it is not valid.
        var why: String? {
            guard case .refused(let failure, _) = outcome else { return nil }
            return switch failure {
            case .notAnchored: "no anchor of this system"
            case .expired: "expired"
            case .notYetValid: "not valid yet"
            case .hostNameMismatch: "for another host"
            case .signatureWrong: "a signature is wrong"
            case .notAuthority: "an issuer may not issue it"
            case .purposeNotAllowed: "not for this purpose"
            case .weakKeyOrDigest: "too weak"
            case .chainTooLong: "the chain is too long"
            case .revocationUnknown: "not known whether it is revoked"
            case .other(let reason): PlainText.escaped(reason)
            }
        }

        var line: String {
            let name = certificate.commonName ?? certificate.summary ?? ""
            return Hexadecimal.text(sha1(certificate.der)).uppercased() + " " + JSONWriter.quoted(name)
        }

        var json: JSONValue {
            .object([
                ("sha1", .string(Hexadecimal.text(sha1(certificate.der)))),
                ("id", .string(Hexadecimal.text(certificate.publicKeyDigest))),
                ("commonName", certificate.commonName.map(JSONValue.string) ?? .null),
                ("valid", .boolean(isValid)), ("why", why.map(JSONValue.string) ?? .null),
            ])
        }
    }
}
