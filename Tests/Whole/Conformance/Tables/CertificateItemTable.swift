import Foundation
import Security
import SecurityTesting
import Testing

extension Table {
    /// Certificates as items and how they are matched (5.4, 6.4, 6.9).
    static let certificateItems = Table { table in
        table.addStoredCertificates()
        table.addCertificateMatches()
    }

    private mutating func addStoredCertificates() {
        row("5.4, 6.9", "a certificate is stored with its issuer, serial number, key and label", only: .certificate) {
            s in
            let certificate = try Papers.made.get().leaf
            s.add([kSecValueRef: certificate])
            let found = s.attributes(of: [:])
            s.expect(found["ctyp"], is: 3, "version")
            s.expect(found["cenc"], is: 3, "encoding")
            s.expect(found["labl"], is: "mail.example.com", "label")
            s.expect(found["issr"], is: SecCertificateCopyNormalizedIssuerSequence(certificate) as Data?, "issuer")
            s.expect(found["subj"], is: SecCertificateCopyNormalizedSubjectSequence(certificate) as Data?, "subject")
            s.expect(found["slnr"], is: SecCertificateCopySerialNumberData(certificate, nil) as Data?, "serial number")
            s.expect((found["skid"] as? Data)?.count == 20, "key identifier")
            let key = try #require(SecCertificateCopyKey(certificate))
            s.expect(found["pkhh"], is: try s.label(of: key), "digest of the key")
        }
        row("6.4, 6.7", "the data of a certificate is its DER, its reference the same certificate", only: .certificate)
        { s in
            let certificate = try Papers.made.get().leaf
            s.add([kSecValueRef: certificate])
            s.expect(s.data(of: [:]), is: SecCertificateCopyData(certificate) as Data, "data")
            s.expect(s.find([kSecReturnRef: true]), is: certificate, "reference")
            let both = s.find([kSecReturnRef: true, kSecReturnData: true]) as? [String: Any]
            s.expect(both?["v_Ref"], is: certificate, "reference beside data")
            s.expect(both?["class"], is: "cert", "class")
            s.expect(both?["labl"], is: "mail.example.com", "label beside a reference")
        }
        row("5.4", "a certificate is a duplicate whatever its label is", only: .certificate) { s in
            let certificate = try Papers.made.get().leaf
            s.add([kSecValueRef: certificate])
            s.add([kSecValueRef: certificate], gives: errSecDuplicateItem)
            s.add([kSecValueRef: certificate, kSecAttrLabel: "mine"], gives: errSecDuplicateItem)
        }
        row("6.9", "the caller's label wins over the one that was inferred", only: .certificate) { s in
            s.add([kSecValueRef: try Papers.made.get().leaf, kSecAttrLabel: "mine"])
            s.expect(s.attributes(of: [:])["labl"], is: "mine", "label")
        }
        row("6.9", "a certificate given as bytes is not looked into", only: .certificate) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueData: SecCertificateCopyData(papers.leaf) as Data])
            let found = s.attributes(of: [:])
            s.expect(found["issr"], is: Data(), "issuer")
            s.expect(found["pkhh"] == nil, "no digest of a key")
            s.expect(s.find([kSecReturnRef: true]), is: papers.leaf, "the bytes are a certificate all the same")
            s.add([kSecValueData: SecCertificateCopyData(papers.root) as Data], gives: errSecDuplicateItem)
        }
        row("6.9", "a reference finds, changes and deletes its item", only: .certificate) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.leaf])
            s.add([kSecValueRef: papers.root])
            s.update([kSecValueRef: papers.leaf], [kSecAttrLabel: "changed"])
            s.expect(s.attributes(of: [kSecValueRef: papers.leaf])["labl"], is: "changed", "label")
            s.expect(s.attributes(of: [kSecValueRef: papers.root])["labl"], is: "Example Root", "the other's label")
            s.delete([kSecValueRef: papers.leaf])
            s.find([kSecValueRef: papers.leaf], gives: errSecItemNotFound)
            s.find([kSecValueRef: papers.root])
        }
        for name in ["issr", "slnr", "subj", "skid", "pkhh", "labl", "ctyp", "cenc"] {
            row("5.4", "\(name) filters a search for certificates", only: .certificate) { s in
                let papers = try Papers.made.get()
                for certificate in [papers.leaf, papers.intermediate] { s.add([kSecValueRef: certificate]) }
                let value = try #require(s.attributes(of: [kSecValueRef: papers.leaf])[name])
                let found =
                    s.find([
                        name as CFString: value, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll,
                    ]) as? [Any]
                s.expect(found?.contains { $0 as? SecCertificate == papers.leaf } ?? false, "found by \(name)")
                s.expect(found?.count == (["ctyp", "cenc"].contains(name) ? 2 : 1), "\(name) tells them apart")
            }
        }
    }

    private mutating func addCertificateMatches() {
        row("6.9", "an issuer is found as it stands in the certificate, too", only: .certificate) { s in
            s.add([kSecValueRef: try Papers.made.get().printable])
            // O=Example, CN=printable  name, as PrintableString.
            let name: [UInt8] =
                [0x30, 0x2b, 0x31, 0x10, 0x30, 0x0e, 0x06, 0x03, 0x55, 0x04, 0x0a, 0x13, 0x07] + Array("Example".utf8)
                + [0x31, 0x17, 0x30, 0x15, 0x06, 0x03, 0x55, 0x04, 0x03, 0x13, 0x0e] + Array("Printable Name".utf8)
            s.find([kSecAttrIssuer: Data(name)])
            s.find([kSecAttrIssuer: Data([0x30, 0])], gives: errSecItemNotFound)
        }
        row("6.4", "a date within its validity finds a certificate", only: .certificate) { s in
            s.add([kSecValueRef: try Papers.made.get().leaf])
            s.find([kSecMatchValidOnDate: Date()])
            // Now, by the clock of the device: an embedded one shows a time of its own.
            let isValidThere = s.device.backend == .processes
            s.find([kSecMatchValidOnDate: NSNull()], gives: isValidThere ? errSecSuccess : errSecItemNotFound)
            s.find([kSecMatchValidOnDate: Date(timeIntervalSince1970: 0)], gives: errSecItemNotFound)
            s.find([kSecMatchValidOnDate: Date(timeIntervalSinceNow: 1e9)], gives: errSecItemNotFound)
        }
        row("6.4", "an address finds the certificate that names it, in any case", only: .certificate) { s in
            let papers = try Papers.made.get()
            s.add([kSecValueRef: papers.root])
            s.add([kSecValueRef: papers.leaf])
            for address in ["anna@example.com", "ANNA@Example.com"] {
                let query: [CFString: Any] = [kSecMatchEmailAddressIfPresent: address, kSecReturnRef: true]
                s.expect(s.find(query), is: papers.leaf, "by \(address)")
            }
            s.find([kSecMatchEmailAddressIfPresent: "bob@example.com"], gives: errSecItemNotFound)
        }
        row("6.4", "an issuer finds what it issued, also over others that are stored", only: .certificate) { s in
            let papers = try Papers.made.get()
            for certificate in [papers.leaf, papers.intermediate] { s.add([kSecValueRef: certificate]) }
            func issued(by name: CFData?) throws -> Int {
                let query: [CFString: Any] = [
                    kSecMatchIssuers: [try #require(name as Data?)], kSecMatchLimit: kSecMatchLimitAll,
                    kSecReturnRef: true,
                ]
                var result: CFTypeRef?
                let status = s.app.run { SecItemCopyMatching(s.classed(query), &result) }
                return status == errSecItemNotFound ? 0 : (result as? [Any])?.count ?? -1
            }
            let (root, intermediate) = (papers.root, papers.intermediate)
            let byRoot = try issued(by: SecCertificateCopyNormalizedSubjectSequence(root))
            s.expect(byRoot == 2, "the root issued both, one of them over the other: \(byRoot)")
            let byIntermediate = try issued(by: SecCertificateCopyNormalizedSubjectSequence(intermediate))
            s.expect(byIntermediate == 1, "the intermediate issued one: \(byIntermediate)")
            let byLeaf = try issued(by: SecCertificateCopyNormalizedSubjectSequence(papers.leaf))
            s.expect(byLeaf == 0, "the leaf issued none: \(byLeaf)")
        }
        row("6.4", "issuers that are not names are left out", only: .certificate) { s in
            s.add([kSecValueRef: try Papers.made.get().leaf])
            s.find([kSecMatchIssuers: [1, "text"] as [Any]])
        }
        row("6.4", "a certificate below none of the system's anchors is not trusted", only: .certificate) { s in
            s.add([kSecValueRef: try Papers.made.get().leaf])
            s.find([kSecMatchTrustedOnly: true], gives: errSecItemNotFound)
            s.find([kSecMatchTrustedOnly: false])
        }
        row("6.4", "a policy that no stored certificate meets finds none", only: .certificate) { s in
            s.add([kSecValueRef: try Papers.made.get().leaf])
            s.find([kSecMatchPolicy: SecPolicyCreateBasicX509()], gives: errSecItemNotFound)
        }
        row("0.10, 6.4", "a match keeps looking behind certificates that do not fit", only: .certificate) { s in
            let papers = try Papers.made.get()
            for certificate in [papers.root, papers.intermediate, papers.leaf] { s.add([kSecValueRef: certificate]) }
            let found = s.find([kSecMatchEmailAddressIfPresent: "anna@example.com", kSecReturnRef: true])
            s.expect(found, is: papers.leaf, "the last one")
        }
    }
}
