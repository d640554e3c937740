import Foundation
import Testing

@Suite("Certificates and identities through the command line, with openssl as the other side")
struct CertificateTests {
    private static let p256 = "ec -pkeyopt ec_paramgen_curve:P-256"
    private static let rsa = "rsa -pkeyopt rsa_keygen_bits:2048"

    /// A device, and what `openssl` made: an authority `ca`, and `server` with key and certificate.
    private func stage(_ keyOptions: String = p256) throws -> (ThrowawayDevice, OpenSSL) {
        let device = try ThrowawayDevice.unlocked()
        let openssl = try OpenSSL(beside: device)
        try openssl.makeIdentity("server", keyOptions: keyOptions)
        return (device, openssl)
    }

    @Test(
        "a PKCS#12 file of openssl becomes an identity, and goes out again as one that openssl reads",
        arguments: [
            (p256, ""), (rsa, ""), (rsa, "-legacy"),
            (p256, "-keypbe PBE-SHA1-3DES -certpbe PBE-SHA1-3DES -macalg sha1"),
        ])
    func identities(_ keyOptions: String, _ encryption: String) throws {
        let (device, openssl) = try stage(keyOptions)
        try openssl(
            "pkcs12 -export -inkey server.key -in server.pem -certfile ca.pem -name Friendly -passout pass:correct"
                + " -out in.p12 " + encryption)
        let imported = try device("import \(openssl.path("in.p12")) --tag org.example.tag --json", input: "correct\n")
        try #require(imported.status == 0, "\(imported.output)\(imported.errors)")
        #expect(try imported.json()["identities"] as? Int == 1)
        #expect(try imported.json()["certificates"] as? Int == 1)
        // A second time nothing is new.
        let again = try device("import \(openssl.path("in.p12")) --tag org.example.tag --json", input: "correct\n")
        #expect(try again.json()["identities"] as? Int == 0, "\(again.output)")
        #expect(try again.json()["existing"] as? Int == 2, "\(again.output)")

        let found = try device("find-identity --json").json()
        let policies = try #require(found["policies"] as? [[String: Any]])
        let identities = try #require(policies.first?["identities"] as? [[String: Any]])
        try #require(identities.count == 1)
        #expect(identities[0]["commonName"] as? String == "server")
        #expect(identities[0]["valid"] as? Bool == false)
        #expect(try device("find-identity").output.contains("no anchor of this system"))
        #expect(try device("find-identity -v").output.contains("0 valid identities found"))

        let out = openssl.path("out.p12")
        let exported = try device(
            "export --common-name server --private-key --format pkcs12 -o \(out)", input: "another\n")
        try #require(exported.status == 0, "\(exported.errors)")
        try openssl("pkcs12 -in out.p12 -passin pass:another -nocerts -nodes -out out.key")
        try openssl("pkcs12 -in out.p12 -passin pass:another -nokeys -out out.pem")
        #expect(try openssl("pkey -in out.key").output == openssl("pkey -in server.key").output)
        let subjects = try openssl("storeutl -noout -certs -text out.pem").output
        for name in ["Subject: CN=server", "Subject: CN=Example-Authority"] { #expect(subjects.contains(name)) }
        #expect(try openssl.says("pkcs12 -in out.p12 -passin pass:correct -noout") == false)

        // With the identity's key something is signed that its certificate verifies.
        try openssl.write("message", to: "message")
        #expect(
            try device("key sign --tag org.example.tag \(openssl.path("message")) -o \(openssl.path("sig"))").status
                == 0)
        #expect(
            try device(
                "key verify --public \(openssl.path("server.pem")) --signature \(openssl.path("sig")) "
                    + openssl.path("message")
            ).status == 0)
    }

    @Test("an identity whose key asks for a person has a certificate that does not")
    func guardedIdentity() throws {
        let (device, openssl) = try stage()
        try openssl("pkcs12 -export -inkey server.key -in server.pem -passout pass:correct -out in.p12")
        let imported = try device("import \(openssl.path("in.p12")) --require passcode --label s", input: "correct\n")
        #expect(imported.output.hasPrefix("1 identity imported."), "\(imported.errors)")
        #expect(
            try device.withoutTerminal("find-certificate -c server -p").output == openssl("x509 -in server.pem").output)
        #expect(try device.withoutTerminal("key sign --label s --no-prompt", input: "x").status == 36)
        let signing = try ControllingTerminal("key sign --label s --hex", on: device, secret: "x")
        try signing.read(until: "Passcode: ")
        signing.type("246810\n")
        #expect(try signing.end().status == 0)
    }

    @Test("a wrong passphrase, or none, imports nothing and says which it is")
    func wrongPassphrase() throws {
        let (device, openssl) = try stage()
        try openssl("pkcs12 -export -inkey server.key -in server.pem -passout pass:correct -out in.p12")
        try openssl("pkcs8 -topk8 -in server.key -passout pass:correct -out encrypted.pem")
        for file in ["in.p12", "encrypted.pem"] {
            let wrong = try device("import \(openssl.path(file))", input: "incorrect\n")
            #expect(wrong.status == 61, "\(file): \(wrong.errors)")
            #expect(wrong.errors.contains("passphrase"))
            #expect(!wrong.errors.contains("incorrect"))
            #expect(try device("import \(openssl.path(file))").status == 31)
        }
        #expect(try device("import \(openssl.path("in.p12")) -P correct").status == 30)
        #expect(try device("dump-keychain --json").json()["items"] as? [String] == [])
    }

    @Test(
        "a private key of openssl is imported in each of its forms, and signs",
        arguments: [
            (p256, "pkey -in server.key -out k", ""), (rsa, "pkey -in server.key -outform DER -out k", ""),
            (p256, "ec -in server.key -out k", ""), (rsa, "rsa -in server.key -traditional -out k", ""),
            (p256, "pkcs8 -topk8 -in server.key -outform DER -passout pass:correct -out k", "correct\n"),
            (rsa, "pkcs8 -topk8 -in server.key -v1 PBE-SHA1-3DES -passout pass:correct -out k", "correct\n"),
            (
                "ec -pkeyopt ec_paramgen_curve:P-521", "pkey -in server.key -aes256 -passout pass:correct -out k",
                "correct\n"
            ),
        ])
    func privateKeys(_ keyOptions: String, _ making: String, _ passphrase: String) throws {
        let (device, openssl) = try stage(keyOptions)
        try openssl(making)
        let imported = try device("import \(openssl.path("k")) --label k --json", input: passphrase)
        try #require(imported.status == 0, "\(imported.output)")
        #expect(try imported.json()["privateKeys"] as? Int == 1)
        try openssl("pkey -in server.key -pubout -out server.pub")
        let publicKey = String(decoding: try openssl.bytes("server.pub"), as: UTF8.self)
        #expect(try device("key public --label k").output == publicKey)
        try openssl.write("message", to: "message")
        #expect(try device("key sign --label k \(openssl.path("message")) -o \(openssl.path("sig"))").status == 0)
        #expect(try openssl.says("dgst -sha256 -verify server.pub -signature sig message"))
    }

    @Test(
        "a private key goes out in each form, encrypted or clearly meant to be clear, and openssl reads it",
        arguments: [
            ("--format pem", "right\n", "-passin pass:right"), ("--format pem --no-passphrase", "", ""),
            ("--format pkcs8", "right\n", "-inform DER -passin pass:right"),
            ("--format pkcs8 --no-passphrase", "", "-inform DER"),
        ])
    func exports(_ options: String, _ passphrase: String, _ reading: String) throws {
        let (device, openssl) = try stage()
        try device("import \(openssl.path("server.key")) --label k")
        let exported = try device(
            "export --label k --private-key \(options) -o \(openssl.path("out"))", input: passphrase)
        try #require(exported.status == 0, "\(exported.errors)")
        let attributes = try FileManager.default.attributesOfItem(atPath: openssl.path("out"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(try openssl("pkey -in out \(reading)").output == openssl("pkey -in server.key").output)
        if !passphrase.isEmpty {
            #expect(try !openssl.says("pkey -in out \(reading.replacing("right", with: "wrong")) -noout"))
        }
        let empty = try device("export --label k --private-key", input: "\n")
        #expect(empty.status == 31)
        #expect(empty.output.isEmpty)
        let plain = try device("export --label k")
        #expect(plain.status == 0)
        #expect(plain.output.hasPrefix("-----BEGIN PUBLIC KEY-----"))
    }

    @Test("a key of the enclave is not exported, whatever is asked for")
    func enclave() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("key generate --enclave --label k")
        for options in ["--format pem", "--format pkcs8 --no-passphrase", "--format der"] {
            let ending = try device("export --label k --private-key \(options)", input: "passphrase\n")
            #expect(ending.status == 49, "\(ending.errors)")
            #expect(ending.errors.contains("never leaves"))
            #expect(ending.output.isEmpty)
        }
        #expect(try device("export --label k").output == device("key public --label k").output)
    }

    @Test("certificates are added and found with the flags of macOS's tool")
    func finding() throws {
        let (device, openssl) = try stage()
        try openssl.makeIdentity("client")
        try openssl("x509 -in client.pem -outform DER -out client.der")
        let added = try device("add-certificates \(openssl.path("server.pem")) \(openssl.path("client.der"))")
        #expect(added.output.hasPrefix("2 certificates imported."), "\(added.errors)")
        #expect(try device("add-certificates \(openssl.path("ca.pem"))").status == 0)
        #expect(try device("add-certificates \(openssl.path("ca.pem"))").output.contains("1 was there already"))

        #expect(try device("find-certificate -c SERVER -p").output == openssl("x509 -in server.pem").output)
        #expect(try device("find-certificate -e client@example.org -p").output == openssl("x509 -in client.pem").output)
        let all = try #require(try device("find-certificate -a --json").json()["certificates"] as? [[String: Any]])
        #expect(Set(all.compactMap { $0["commonName"] as? String }) == ["server", "client", "Example-Authority"])
        let shown = try device("find-certificate -c client -Z -m")
        let digests = try ["sha256", "sha1"].map { digest in
            try #require(
                openssl("x509 -in client.pem -noout -fingerprint -\(digest)").output.split(separator: "=").last
            )
            .replacing(":", with: "").lowercased().trimmingCharacters(in: .whitespacesAndNewlines)
        }
        for part in digests + ["email address: client@example.org", "class: cert", "\"client\""] {
            #expect(shown.output.contains(part), "\(part)")
        }
        for line in ["find-certificate -c absent", "find-certificate -e absent@example.org"] {
            let none = try device(line)
            #expect(none.status == 44)
            #expect(none.errors.contains("find-certificate -a"))
        }
        #expect(try device("export --common-name client --format der -o \(openssl.path("c.der"))").status == 0)
        #expect(try openssl.bytes("c.der") == openssl.bytes("client.der"))
        #expect(try device("find-identity --json").output.contains("\"identities\": []"))
        #expect(try device("dump-keychain").output.contains("class: cert"))
        #expect(try device("status").output.contains("3 certificates"))
    }

    @Test("an identity is valid where its authority is an anchor of the system, for the host it names")
    func validIdentities() throws {
        let (device, openssl) = try stage()
        try openssl.write("subjectAltName=DNS:server.example.org\nextendedKeyUsage=serverAuth\n", to: "san.cnf")
        try openssl(
            "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 30 -extfile san.cnf"
                + " -out server.pem"
        )
        try device("import \(openssl.path("server.pem"))")
        try device("import \(openssl.path("server.key"))")
        func find(_ options: String) throws -> Ending {
            try run(
                Installation.program("latchkey"),
                ["find-identity", "--device", device.directory] + options.split(separator: " ").map(String.init),
                environment: ["SSL_CERT_FILE": openssl.path("ca.pem")])
        }
        #expect(try find("-v").output.contains("1 valid identities found"))
        #expect(try find("-v -p ssl-server -s server.example.org").output.contains("1 valid identities found"))
        let other = try find("-p ssl-server -s other.example.org")
        #expect(other.output.contains("0 valid identities found"))
        #expect(other.output.contains("for another host"))
        #expect(try find("-p ssl-client").output.contains("not for this purpose"))
        #expect(try device("find-identity -v").output.contains("0 valid identities found"))
    }

    @Test("a file with a certificate and its key, in PEM, becomes an identity")
    func pemOfBoth() throws {
        let (device, openssl) = try stage()
        let both = try [openssl.bytes("server.pem"), openssl.bytes("server.key")].flatMap { $0 }
        let imported = try device("import - --label both --json", input: String(decoding: both, as: UTF8.self))
        #expect(try imported.json()["privateKeys"] as? Int == 1)
        #expect(try imported.json()["certificates"] as? Int == 1)
        #expect(try device("find-identity").output.contains("1 identities found"))
        let ambiguous = try device("export --label both")
        #expect(ambiguous.status == 38)
        #expect(ambiguous.errors.contains("--certificate"))
        #expect(try device("export --label both --certificate").output == openssl("x509 -in server.pem").output)
        #expect(try device("export --label both --public-key").output.contains("PUBLIC KEY"))
    }

    @Test(
        "files that hold something else are refused, and nothing of them is kept",
        arguments: [
            ("text", "machine a login b password s3cret\n", ""),
            ("pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", ""),
            ("key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", ""),
            ("request", "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n", ""),
            ("empty", "", ""), ("p12", "no file of that kind", "--format pkcs12"),
        ])
    func wrongFiles(_ name: String, _ contents: String, _ options: String) throws {
        let device = try ThrowawayDevice.unlocked()
        let openssl = try OpenSSL(beside: device)
        try openssl.write(contents, to: name)
        let ending = try device("import \(openssl.path(name)) \(options)", input: "correct\n")
        #expect(ending.status == 33, "\(ending.errors)")
        #expect(!ending.errors.contains("s3cret"))
        #expect(ending.errors.contains("why:"))
        #expect(try device("dump-keychain --json").json()["items"] as? [String] == [])
        #expect(try device("import \(openssl.path("nowhere"))").status == 32)
        #expect(try device("add-certificates \(openssl.path(name))").status == 33)
    }

    @Test("a key that belongs to a certificate is needed for an identity, and a locked device tells nothing")
    func incomplete() throws {
        let (device, openssl) = try stage()
        try device("add-certificates \(openssl.path("server.pem"))")
        let ending = try device("export --common-name server --private-key --format pkcs12", input: "x\n")
        #expect(ending.status == 44)
        #expect(ending.errors.contains("not its private key"))
        try device("add-certificates \(openssl.path("ca.pem")) --accessible when-unlocked")
        try device("lock --now")
        // Certificates are not secret: unless something else is said, they are there while the device is locked.
        #expect(try device("find-certificate -c server").status == 0)
        let locked = try device("find-certificate -c authority")
        #expect(locked.status == 36, "\(locked.output)\(locked.errors)")
        #expect(try device("import \(openssl.path("server.key"))").status == 36)
    }
}
