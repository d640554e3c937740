import Foundation
import LatchkeyEtcdStore
import LatchkeyEtcdTesting
import LatchkeyPlainText
import LatchkeySecretMemory
import LatchkeySyncCore
import LatchkeySyncStore
import LatchkeySyncStoreTesting
import LatchkeyTestSupport
import LatchkeyThreading
import Testing

/// Certificates of servers and of this device.
@Suite("A store in etcd behind TLS")
struct EtcdEncryptionTests {
    private let authority: CertificateAuthority
    private let root: CertificateAuthority.Issued
    private let host = EtcdServer.newHost()
    private static let purposes = "extendedKeyUsage=serverAuth,clientAuth"

    init() throws {
        authority = try CertificateAuthority()
        root = try authority.root("root", subject: "/O=Latchkey test/CN=root")
    }

    private func certificate(
        _ name: String, for host: String, options: [String] = []
    ) throws -> EtcdServer.Encryption {
        let issued = try authority.issue(
            name, subject: "/O=server", by: root, extensions: ["subjectAltName=IP:\(host)", Self.purposes],
            options: options)
        return .init(certificate: issued.certificateFile, key: issued.keyFile)
    }

    private func stage(_ encryption: EtcdServer.Encryption, _ options: String...) throws -> EtcdStage {
        let server = try EtcdServer("n0", host: host, encryption: encryption)
        return EtcdStage(try EtcdCluster(server, options))
    }

    /// The address with files, as a user would name it.
    private func access(
        _ stage: EtcdStage, _ files: [EtcdAddress.Part: String]
    ) throws -> EtcdAccess {
        try EtcdAccess(reading: EtcdAddress(servers: stage.cluster.urls, parts: files))
    }

    private func failure(_ stage: EtcdStage, _ access: EtcdAccess) throws -> StoreFailure? {
        let store = try stage.store(nil, access)
        return EtcdStage.failure { () throws(StoreFailure) in
            try store.create([stage.segment(1): SampleObjects.object(.segment)])
        }
    }

    @Test("trusts the authority that was named, and neither another one nor that of the system for it")
    func authorities() throws {
        let stage = try stage(try certificate("server", for: host))
        let known = try access(stage, [.authority: root.certificateFile])
        #expect(try failure(stage, known) == nil)
        let other = try CertificateAuthority().root("other", subject: "/O=Latchkey test/CN=root")
        #expect(try failure(stage, EtcdAccess()) == .refused(.untrusted))
        var wrong = EtcdAccess()
        wrong.connection.authorities = Array(
            "-----BEGIN CERTIFICATE-----\n\(other.certificate.base64EncodedString(options: .lineLength64Characters))\n-----END CERTIFICATE-----\n"
                .utf8)
        #expect(try failure(stage, wrong) == .refused(.untrusted))
        var none = EtcdAccess()
        none.connection.authorities = Array("nothing".utf8)
        #expect(try failure(stage, none) == .refused(.untrusted))
        #expect(stage.log.contains { $0.contains("certificate") })
        let watch = try stage.store(stage.other, known)
        #expect(try watch.waitForHint(until: .init(seconds: 0)) == .changed)
    }

    @Test("refuses a certificate that is expired, and one of another server") func wrongServer() throws {
        for encryption in [
            try certificate("old", for: host, options: ["-days", "0"]), try certificate("far", for: "127.0.0.1"),
        ] {
            let stage = try stage(encryption)
            #expect(try failure(stage, access(stage, [.authority: root.certificateFile])) == .refused(.untrusted))
            stage.cluster.servers[0].kill()
        }
    }

    @Test("shows a certificate where the server asks for one, which has no common name if there are users")
    func clients() throws {
        var encryption = try certificate("server", for: host)
        encryption = .init(
            certificate: encryption.certificate, key: encryption.key, clientAuthority: root.certificateFile)
        let stage = try stage(encryption)
        func client(_ name: String, _ subject: String) throws -> CertificateAuthority.Issued {
            let issued = try authority.issue(name, subject: subject, by: root, extensions: [Self.purposes])
            try #require(chmod(issued.keyFile, 0o600) == 0)
            return issued
        }
        let (plain, named) = (try client("plain", "/O=laptop"), try client("named", "/O=laptop/CN=anna"))
        let password = authority.directory.appendingPathComponent("password").path
        try Data("pass\n".utf8).write(to: URL(fileURLWithPath: password))
        try #require(chmod(password, 0o600) == 0)
        let files: [EtcdAddress.Part: String] = [
            .authority: root.certificateFile, .certificate: plain.certificateFile, .key: plain.keyFile,
        ]
        #expect(try failure(stage, access(stage, [.authority: root.certificateFile])) == .refused(.credentials))
        #expect(try failure(stage, access(stage, files)) == nil)
        let shown = [
            "--cacert", root.certificateFile, "--cert", plain.certificateFile, "--key", plain.keyFile,
        ]
        for words in [
            ["user", "add", "root:secret"], ["role", "add", "l"],
            ["role", "grant-permission", "l", "--prefix=true", "readwrite", "/latchkey/"],
            ["user", "add", "anna:pass"],
            ["user", "grant-role", "anna", "l"], ["auth", "enable"],
        ] {
            try stage.cluster.control(shown + words)
        }
        let login = files.merging([.user: "anna", .passwordFile: password]) { $1 }
        #expect(try failure(stage, access(stage, login)) == nil)
        #expect(try failure(stage, access(stage, files)) == .refused(.credentials))
        let common = login.merging([.certificate: named.certificateFile, .key: named.keyFile]) { $1 }
        #expect(try failure(stage, access(stage, common)) == .refused(.credentials))
        #expect(stage.log.contains { $0.contains("CommonName") }, "\(stage.log)")
    }

    @Test("a token of before a restore from a snapshot is replaced behind TLS, too") func restored() throws {
        let stage = try stage(try certificate("server", for: host))
        let trusted = ["--cacert", root.certificateFile]
        for words in [
            ["user", "add", "root:secret"], ["role", "add", "l"],
            ["role", "grant-permission", "l", "--prefix=true", "readwrite", "/latchkey/"],
            ["user", "add", "anna:pass"],
            ["user", "grant-role", "anna", "l"], ["auth", "enable"],
        ] {
            try stage.cluster.control(trusted + words)
        }
        let password = authority.directory.appendingPathComponent("password").path
        try Data("pass\n".utf8).write(to: URL(fileURLWithPath: password))
        try #require(chmod(password, 0o600) == 0)
        let login = try access(
            stage, [.authority: root.certificateFile, .user: "anna", .passwordFile: password])
        let copy = stage.cluster.servers[0].directory.path("copy")
        let administrator = trusted + ["--user", "root:secret"]
        try stage.cluster.control(administrator + ["snapshot", "save", copy])
        try stage.restore(copy, login, administrator)
    }

    @Test("reads its files within limits, and secrets from no file that every user can read") func files() throws {
        let directory = try TemporaryDirectory()
        func access(_ files: [EtcdAddress.Part: String]) throws -> EtcdAccess {
            try EtcdAccess(reading: EtcdAddress(servers: ["https://a"], parts: files))
        }
        let password = try directory.file("password", Array("geheim\n".utf8))
        try #require(chmod(password, 0o640) == 0)
        let login = try #require(try access([.user: "anna", .passwordFile: password]).login)
        #expect(login.user == "anna" && login.password.withBytes { Array($0) } == Array("geheim".utf8))
        try #require(chmod(password, 0o644) == 0)
        #expect(throws: EtcdFileFailure.self) { try access([.user: "anna", .passwordFile: password]) }
        let empty = try directory.file("empty", [10])
        try #require(chmod(empty, 0o600) == 0)
        let pipe = directory.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        let large = try directory.file("large", [UInt8](repeating: 65, count: 5 << 20))
        for (part, path) in [
            (EtcdAddress.Part.passwordFile, empty), (.passwordFile, pipe), (.authority, pipe), (.authority, large),
            (.authority, directory.path), (.authority, directory.path("none")),
        ] {
            let files = part == .authority ? [part: path] : [part: path, .user: "anna"]
            #expect(throws: EtcdFileFailure.self, "\(part) \(path)") { try access(files) }
        }
    }
}
