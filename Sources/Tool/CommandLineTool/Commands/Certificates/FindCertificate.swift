package import ArgumentParser
import LatchkeyCertificates
import LatchkeyCryptoSuite
import LatchkeyEncoding
import LatchkeyPlainText
import LatchkeyPropertyListDER

/// `latchkey find-certificate`, with the flags of macOS's `security`.
package struct FindCertificate: ToolCommand {
    package static let configuration = CommandConfiguration(
        commandName: "find-certificate", abstract: "Find a certificate, or with -a every one that fits.")

    @Flag(name: .customShort("a"), help: "Every certificate that fits, not the first alone.")
    package var all = false

    @Option(name: [.customShort("c"), .customLong("common-name")], help: "Part of the common name, capitals or not.")
    package var commonName: String?

    @Option(name: [.customShort("e"), .customLong("email")], help: "An address of the certificate, capitals or not.")
    package var email: String?

    @Flag(name: .customShort("m"), help: "Show the addresses of the certificate.")
    package var showsAddresses = false

    @Flag(name: .customShort("p"), help: "Print only the certificate, in PEM.")
    package var printsOnlyPEM = false

    @Flag(name: .customShort("Z"), help: "Show the SHA-256 and SHA-1 of the certificate.")
    package var showsDigests = false

    @OptionGroup package var group: GroupOption
    @OptionGroup package var common: CommonOptions

    package init() {}

    package func perform() throws(CommandFailure) -> Report {
        let device = try DeviceAccess(common)
        let owner = try device.authority(for: group.accessGroup, secrets: common.secrets)
        let found = try CertificateLookup(device: device, owner: owner).matching { fits($0.certificate) }
        let shown = all ? found : Array(found.prefix(1))
        let items = shown.map(json)
        let document = all ? JSONValue.object([("certificates", .array(items))]) : items.first ?? .null
        return Report(pieces: shown.flatMap(pieces), json: document)
    }

    private func fits(_ certificate: Certificate) -> Bool {
        if let commonName {
            guard let name = certificate.commonName?.lowercased(), name.contains(commonName.lowercased()) else {
                return false
            }
        }
        guard let email else { return true }
        return certificate.emailAddresses.contains { $0.lowercased() == email.lowercased() }
    }

    private func pieces(_ stored: StoredCertificate) -> [Report.Piece] {
        let certificate = stored.certificate
        var pieces: [Report.Piece] = []
        if showsDigests {
            pieces.append(
                .text(
                    "SHA-256 hash: \(Hexadecimal.text(sha256(certificate.der)))\n"
                        + "SHA-1 hash: \(Hexadecimal.text(sha1(certificate.der)))\n"))
        }
        if showsAddresses {
            pieces += certificate.emailAddresses.map { .text("email address: \(PlainText.escaped($0))\n") }
        }
        guard !printsOnlyPEM else { return pieces + [.text(certificate.pem)] }
        pieces.append(.text("class: cert\n"))
        pieces.append(.text("    common name: \(certificate.commonName.map { JSONWriter.quoted($0) } ?? "none")\n"))
        let dates = [certificate.notValidBefore, certificate.notValidAfter].map(CalendarDate.text(secondsSince2001:))
        pieces.append(.text("    valid: \(dates[0]) to \(dates[1])\n"))
        return pieces + ItemListing(secrets: []).pieces(item: stored.attributes.filter { $0.key != "class" })
    }

    private func json(_ stored: StoredCertificate) -> JSONValue {
        let certificate = stored.certificate
        guard case .object(let members) = ItemListing(secrets: []).json(.dictionary(stored.attributes)) else {
            return .null
        }
        return .object(
            members + [
                ("commonName", certificate.commonName.map(JSONValue.string) ?? .null),
                ("emailAddresses", .array(certificate.emailAddresses.map(JSONValue.string))),
                ("notValidBefore", .string(CalendarDate.text(secondsSince2001: certificate.notValidBefore))),
                ("notValidAfter", .string(CalendarDate.text(secondsSince2001: certificate.notValidAfter))),
                ("sha256", .string(Hexadecimal.text(sha256(certificate.der)))),
                ("pem", .string(certificate.pem)),
            ])
    }
}
