import Foundation
import LatchkeyTestSupport
import Security
import Testing

/// Certificates and PKCS#12 files that openssl made, once for all tests; nothing of them stays on the disk.
struct CertificatePapers: Sendable {
    let root: SecCertificate
    let intermediate: SecCertificate
    /// For www.example.com, *.wild.example.com and 192.0.2.1; issued by the intermediate.
    let server: SecCertificate
    /// For clients; issued by the root.
    let client: SecCertificate
    /// Issued by the client's certificate, which may not do that.
    let bastard: SecCertificate
    /// Issued by ``limited``.
    let deep: SecCertificate
    /// An authority, issued by the intermediate, below which there may be no other.
    let limited: SecCertificate
    /// The server's with a wrong signature.
    let forged: SecCertificate
    /// A root of the same name and another key.
    let impostor: SecCertificate
    /// Without a common name, RSA with 2048 bits, signed by itself.
    let nameless: SecCertificate
    /// With a key of Ed25519, signed by itself.
    let edwards: SecCertificate
    /// Not after a day of 2001, with a name in PrintableString, signed by itself.
    let old: SecCertificate
    /// Of RSA with 512 bits, signed by itself.
    let weak: SecCertificate
    /// The server's certificate with key, intermediate and root; the passphrase is ``passphrase``.
    let modernFile: Data
    /// The same with the legacy encryption.
    let legacyFile: Data
    /// The client's, without a passphrase.
    let openFile: Data
    /// Two certificates and no key.
    let certificatesFile: Data
    let serverKeyDER: Data

    static let passphrase = "öpen sesame"
    static let serverSubject = "/C=DE/O=Example/OU=Doors/CN=www.example.com"

    private static let shared = Result { try CertificatePapers() }

    static func made() throws -> CertificatePapers { try shared.get() }

    private init() throws {
        let authority = try CertificateAuthority()
        let root = try authority.root("root", subject: "/O=Example/CN=Example Root")
        let intermediate = try authority.issue(
            "intermediate", subject: "/O=Example/CN=Example Intermediate", by: root,
            extensions: ["basicConstraints=critical,CA:true,pathlen:0", "keyUsage=critical,keyCertSign"])
        let server = try authority.issue(
            "server", subject: Self.serverSubject, by: intermediate,
            extensions: [
                "subjectAltName=DNS:www.example.com,DNS:*.wild.example.com,IP:192.0.2.1,email:door@example.com",
                "extendedKeyUsage=serverAuth", "basicConstraints=CA:false", "subjectKeyIdentifier=hash",
            ])
        let client = try authority.issue(
            "client", subject: "/CN=A Client/emailAddress=client@example.com", by: root,
            extensions: ["extendedKeyUsage=clientAuth", "basicConstraints=critical,CA:false"])
        let bastard = try authority.issue("bastard", subject: "/CN=Bastard", by: client)
        let limited = try authority.issue(
            "limited", subject: "/CN=Limited", by: intermediate,
            extensions: ["basicConstraints=critical,CA:true", "keyUsage=critical,keyCertSign"])
        deep = try Self.certificate(authority.issue("deep", subject: "/CN=Deep", by: limited).certificate)
        self.limited = try Self.certificate(limited.certificate)
        var forged = server.certificate
        forged[forged.count - 1] ^= 1
        self.root = try Self.certificate(root.certificate)
        self.intermediate = try Self.certificate(intermediate.certificate)
        self.server = try Self.certificate(server.certificate)
        self.client = try Self.certificate(client.certificate)
        self.bastard = try Self.certificate(bastard.certificate)
        self.forged = try Self.certificate(forged)
        impostor = try Self.certificate(
            authority.root("impostor", subject: "/O=Example/CN=Example Root").certificate)
        nameless = try Self.certificate(
            authority.root("nameless", subject: "/O=Only Organisation", .rsa2048).certificate)
        edwards = try Self.selfSigned(authority, "edwards", ["-newkey", "ed25519", "-days", "9"])
        weak = try Self.selfSigned(authority, "weak", ["-newkey", "rsa:512", "-days", "9"])
        old = try Self.certificate(Self.old(authority))
        modernFile = try authority.pkcs12(server, chain: [intermediate, root], passphrase: Self.passphrase)
        legacyFile = try authority.pkcs12(
            server, chain: [intermediate, root], passphrase: Self.passphrase,
            options: ["-legacy", "-keypbe", "PBE-SHA1-3DES", "-certpbe", "PBE-SHA1-RC2-40", "-macalg", "sha1"])
        openFile = try authority.pkcs12(client, passphrase: "")
        certificatesFile = try authority.openssl([
            "pkcs12", "-export", "-nokeys", "-in", root.certificateFile, "-certfile", intermediate.certificateFile,
            "-passout", "pass:\(Self.passphrase)",
        ])
        serverKeyDER = try authority.openssl(["pkey", "-in", server.keyFile, "-outform", "DER"])
    }

    private static func certificate(_ der: Data) throws -> SecCertificate {
        try #require(SecCertificateCreateWithData(nil, der as CFData))
    }

    private static func selfSigned(
        _ authority: CertificateAuthority, _ name: String, _ options: [String]
    ) throws -> SecCertificate {
        try certificate(
            authority.openssl(
                [
                    "req", "-x509", "-nodes", "-subj", "/CN=\(name)", "-keyout", "\(name).key", "-outform", "DER",
                ] + options))
    }

    /// The one command that takes both dates wants a small book-keeping around it.
    private static func old(_ authority: CertificateAuthority) throws -> Data {
        let settings = """
            [ca]
            default_ca = old
            [old]
            database = old.index
            new_certs_dir = .
            rand_serial = yes
            default_md = sha256
            policy = any
            [any]
            commonName = supplied
            [req]
            distinguished_name = any
            string_mask = default
            """
        try Data(settings.utf8).write(to: authority.directory.appendingPathComponent("old.cnf"))
        try Data().write(to: authority.directory.appendingPathComponent("old.index"))
        try authority.openssl([
            "req", "-new", "-config", "old.cnf", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=Old  Door",
            "-keyout", "old.key", "-out", "old.csr",
        ])
        try authority.openssl([
            "ca", "-batch", "-config", "old.cnf", "-selfsign", "-keyfile", "old.key", "-in", "old.csr", "-startdate",
            "20010201000000Z", "-enddate", "20010901000000Z", "-notext", "-out", "old.pem",
        ])
        return try authority.openssl(["x509", "-in", "old.pem", "-outform", "DER"])
    }
}

extension SecCertificate {
    var der: Data { SecCertificateCopyData(self) as Data }
}
