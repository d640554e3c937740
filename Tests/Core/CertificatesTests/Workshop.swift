import Foundation
import LatchkeyCertificates
import LatchkeyTestSupport
import Testing

/// Certificates of every shape, made by the openssl command in a directory of their own.
final class Workshop: Sendable {
    struct Made: Sendable {
        let certificate: Certificate
        /// PEM files.
        let certificateFile: String
        let keyFile: String
    }

    enum Key: Sendable {
        case p256
        case p384
        case rsa(Int)

        var arguments: [String] {
            switch self {
            case .p256: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
            case .p384: ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-384"]
            case .rsa(let bits): ["-newkey", "rsa:\(bits)"]
            }
        }
    }

    /// The extensions of an authority's certificate.
    static let authority = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign,cRLSign"]
    /// 2026-06-01 12:00:00 UTC, inside of what is usual here.
    static let noon = 802_008_000.0

    private let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority()
        try write("index.txt", [])
        try write("request.cnf", Array("[req]\ndistinguished_name=dn\nstring_mask=default\n[dn]\n".utf8))
        let lines = [
            "[ca]", "default_ca=x", "[x]", "database=index.txt", "new_certs_dir=.", "policy=p", "preserve=yes",
            "unique_subject=no", "rand_serial=yes", "[p]",
        ]
        // Attributes that the policy does not name are left out of the subject.
        let attributes = ["countryName", "organizationName", "organizationalUnitName", "commonName", "emailAddress"]
        try write("ca.cnf", Array((lines + attributes.map { "\($0)=optional" } + [""]).joined(separator: "\n").utf8))
    }

    /// A certificate that `issuer` signed, or itself.
    ///
    /// - Parameters:
    ///   - subject: in openssl's form, for instance `/O=Example/CN=Root`.
    ///   - extensions: lines of openssl's extension files.
    ///   - from: YYYYMMDDHHMMSSZ.
    ///   - signatureOptions: for the signature of the issuer.
    func make(
        _ name: String, _ subject: String, by issuer: Made? = nil, _ extensions: [String] = [], key: Key = .p256,
        from: String = "20250101000000Z", to: String = "20350101000000Z", digest: String = "sha256"
    ) throws -> Made {
        try openssl(
            ["req", "-new", "-nodes", "-utf8", "-config", "request.cnf", "-subj", subject, "-\(digest)", "-keyout"]
                + [path("\(name).key"), "-out", "\(name).csr"] + key.arguments)
        return try sign(
            name, requestFile: "\(name).csr", keyFile: path("\(name).key"), by: issuer, extensions, from: from, to: to,
            digest: digest)
    }

    /// Another certificate for the key of `other`.
    func renew(
        _ name: String, of other: Made, _ subject: String, by issuer: Made? = nil, _ extensions: [String] = [],
        from: String = "20250101000000Z", to: String = "20350101000000Z"
    ) throws -> Made {
        try openssl([
            "req", "-new", "-utf8", "-config", "request.cnf", "-subj", subject, "-key", other.keyFile, "-out",
            "\(name).csr",
        ])
        return try sign(
            name, requestFile: "\(name).csr", keyFile: other.keyFile, by: issuer, extensions, from: from, to: to,
            digest: "sha256")
    }

    private func sign(
        _ name: String, requestFile: String, keyFile: String, by issuer: Made?, _ extensions: [String], from: String,
        to: String, digest: String
    ) throws -> Made {
        // A directory each: openssl's database is not for several at once.
        let place = "\(name).ca"
        try FileManager.default.createDirectory(
            at: authority.directory.appendingPathComponent(place), withIntermediateDirectories: true)
        try write("\(place)/index.txt", [])
        try write("\(name).ext", Array((extensions + [""]).joined(separator: "\n").utf8))
        let configuration = try text("ca.cnf").replacingOccurrences(of: "index.txt", with: "\(place)/index.txt")
        try write("\(name).cnf", Array(configuration.replacingOccurrences(of: "dir=.", with: "dir=\(place)").utf8))
        let signer =
            issuer.map { ["-cert", $0.certificateFile, "-keyfile", $0.keyFile] } ?? ["-selfsign", "-keyfile", keyFile]
        try openssl(
            [
                "ca", "-batch", "-notext", "-utf8", "-config", "\(name).cnf", "-startdate", from, "-enddate", to, "-md",
                digest, "-in", requestFile, "-extfile", "\(name).ext", "-out", "\(name).pem",
            ] + signer)
        let made = try Certificate.all(pem: Array(text("\(name).pem").utf8))
        return Made(certificate: try #require(made.first), certificateFile: path("\(name).pem"), keyFile: keyFile)
    }

    @discardableResult
    func openssl(_ arguments: [String]) throws -> Data { try authority.openssl(arguments) }

    func path(_ name: String) -> String { authority.directory.appendingPathComponent(name).path }

    func write(_ name: String, _ bytes: [UInt8]) throws {
        try Data(bytes).write(to: authority.directory.appendingPathComponent(name))
    }

    func bytes(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: authority.directory.appendingPathComponent(name)))
    }

    private func text(_ name: String) throws -> String { String(decoding: try bytes(name), as: UTF8.self) }
}
