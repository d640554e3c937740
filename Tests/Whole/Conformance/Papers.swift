import Foundation
import LatchkeyTestSupport
import Security

/// The certificates of the rows, made once by openssl: an authority, one below it, and those that both issued.
struct Papers: Sendable {
    let root: SecCertificate
    let intermediate: SecCertificate
    /// Issued by the intermediate, with a name of a host and an address.
    let leaf: SecCertificate
    let identity: SecIdentity
    /// The same key as that of ``identity`` in another certificate, issued by the root.
    let secondIdentity: SecIdentity
    /// Issued by the root; a key of its own.
    let otherIdentity: SecIdentity

    /// Signed by itself, its name in a kind of text that is brought to one form.
    let printable: SecCertificate

    /// ``identity`` with its chain, in a PKCS#12 file of this passphrase.
    let file: Data
    static let passphrase = "papers"

    static let made = Result { try Papers() }

    private init() throws {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/O=Example/CN=Example Root")
        let intermediate = try authority.issue(
            "intermediate", subject: "/O=Example/CN=Example Intermediate", by: root,
            extensions: [
                "basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign", "subjectKeyIdentifier=hash",
            ])
        let leaf = try authority.issue(
            "leaf", subject: "/O=Example/CN=mail.example.com", by: intermediate,
            extensions: [
                "subjectAltName=DNS:mail.example.com,email:anna@example.com", "subjectKeyIdentifier=hash",
                "extendedKeyUsage=serverAuth",
            ])
        let other = try authority.issue("other", subject: "/O=Example/CN=Other", by: root, .rsa2048)
        let second = try Self.reissue(leaf, subject: "/O=Example/CN=Second", by: root, authority)
        let configuration = authority.directory.appendingPathComponent("printable.cnf")
        try Data("[req]\nstring_mask = nombstr\ndistinguished_name = dn\n[dn]\n".utf8).write(to: configuration)
        let printable = try authority.root(
            "printable", subject: "/O=Example/CN=Printable Name", options: ["-config", configuration.path])
        self.root = try Self.certificate(root)
        self.intermediate = try Self.certificate(intermediate)
        self.leaf = try Self.certificate(leaf)
        self.printable = try Self.certificate(printable)
        file = try authority.pkcs12(leaf, chain: [intermediate, root], passphrase: Self.passphrase)
        identity = try Self.identity(leaf, authority)
        secondIdentity = try Self.identity(second, authority)
        otherIdentity = try Self.identity(other, authority)
    }

    /// A certificate of an authority of its own for a P-256 key that only its owner has.
    static func certificate(ofPoint point: Data) throws -> SecCertificate {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/CN=Root")
        // The bytes in front of the point are the same for all keys of the curve.
        let header: [UInt8] = [
            0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
            0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
        ]
        let key = authority.directory.appendingPathComponent("key.pem")
        let body = (Data(header) + point).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        try Data("-----BEGIN PUBLIC KEY-----\n\(body)\n-----END PUBLIC KEY-----\n".utf8).write(to: key)
        return try certificate(
            authority.issue("enclave", subject: "/CN=Enclave", by: root, options: ["-force_pubkey", key.path]))
    }

    /// Another certificate for the same key.
    private static func reissue(
        _ issued: CertificateAuthority.Issued, subject: String, by issuer: CertificateAuthority.Issued,
        _ authority: CertificateAuthority
    ) throws -> CertificateAuthority.Issued {
        let base = authority.directory.appendingPathComponent("second").path
        try authority.openssl(["req", "-new", "-subj", subject, "-key", issued.keyFile, "-out", base + ".csr"])
        try authority.openssl([
            "x509", "-req", "-in", base + ".csr", "-CA", issuer.certificateFile, "-CAkey", issuer.keyFile, "-days",
            "20",
            "-set_serial", "77", "-out", base + ".pem",
        ])
        try authority.openssl(["x509", "-in", base + ".pem", "-outform", "DER", "-out", base + ".der"])
        return CertificateAuthority.Issued(
            name: "second", certificate: try Data(contentsOf: URL(fileURLWithPath: base + ".der")),
            certificateFile: base + ".pem", keyFile: issued.keyFile)
    }

    private static func certificate(_ issued: CertificateAuthority.Issued) throws -> SecCertificate {
        guard let certificate = SecCertificateCreateWithData(nil, issued.certificate as CFData) else {
            throw CertificateAuthority.Failure(description: "\(issued.name) is not a certificate")
        }
        return certificate
    }

    private static func identity(
        _ issued: CertificateAuthority.Issued, _ authority: CertificateAuthority
    ) throws -> SecIdentity {
        let file = try authority.pkcs12(issued, passphrase: passphrase)
        var items: CFArray?
        let status = SecPKCS12Import(
            file as CFData, [kSecImportExportPassphrase: passphrase] as CFDictionary, &items)
        guard status == errSecSuccess, let first = (items as? [[String: Any]])?.first,
            let identity = first[kSecImportItemIdentity as String] as? SecIdentity
        else { throw CertificateAuthority.Failure(description: "the import of \(issued.name) gave \(status)") }
        return identity
    }
}

extension SecIdentity {
    var certificate: SecCertificate {
        get throws {
            var certificate: SecCertificate?
            guard SecIdentityCopyCertificate(self, &certificate) == errSecSuccess, let certificate else {
                throw CertificateAuthority.Failure(description: "an identity without its certificate")
            }
            return certificate
        }
    }

    var key: SecKey {
        get throws {
            var key: SecKey?
            guard SecIdentityCopyPrivateKey(self, &key) == errSecSuccess, let key else {
                throw CertificateAuthority.Failure(description: "an identity without its key")
            }
            return key
        }
    }
}
