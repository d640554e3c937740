import ArgumentParser
import LatchkeyAccessControl
import LatchkeyAsymmetricKeys
import LatchkeyCommandLineTool
import LatchkeyCryptoSuite
import LatchkeyItemModel
import LatchkeyPropertyListDER
import Testing

@Suite("Keys and certificates on the command line")
struct KeyArgumentTests {
    private static func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }

    @Test(
        "command lines that parse",
        arguments: [
            "key generate", "key generate --type rsa --size 3072 -l x --tag y --accessible aku",
            "key generate --enclave --require biometry-any --require passcode --any", "key list --json",
            "key list --access-group *", "key public --label x", "key public --tag x --der -o file",
            "key public --id 0123456789012345678901234567890123456789 --raw --hex",
            "key sign --label x", "key sign --label x file --algorithm RSA-PSS-SHA512 --base64 --no-prompt",
            "key verify --public k.pem --signature s --hex file", "key verify --label x --signature s",
            "key agree --label x --peer p.pem --derive sha512 --size 64 --info 0a0b -o out",
            "key agree --label x --peer p.pem --raw --hex", "key delete --label x --yes --all",
            "import file.p12", "import file --format pkcs12 --label x --tag y --passphrase-fd 3", "import -",
            "import keys netrc", "import key.pem --no-passphrase --require passcode", "import ./csv",
            "export --label x", "export --common-name x --certificate --format der",
            "export --tag x --private-key --format pkcs8 -o file --no-passphrase",
            "export --label x --private-key --format pkcs12 --passphrase-fd 3", "export keys --label x --public-key",
            "find-certificate -a -c name -e a@b.example -m -p -Z", "find-identity -v -p ssl-server -s host -p basic",
            "add-certificates a b c --accessible ck",
            "find-key -a label -c abcd -d -e -l x -r -s -t private -u -v -w",
        ])
    func parses(_ line: String) throws {
        _ = try Latchkey.parseAsRoot(Self.words(line))
    }

    @Test(
        "command lines that do not, with what the message names",
        arguments: [
            ("key generate --type dsa", "dsa"), ("key sign --label x --algorithm ecdsa-md5", "ecdsa-md5"),
            ("key verify --label x file", "--signature"),
            ("key verify --label x --public k --signature s file", "--public"),
            ("key verify --label x --signature -", "standard input"),
            ("key sign --label x --hex --base64", "--base64"), ("key public --label x --der --raw", "raw"),
            ("key agree --label x --peer p --raw --size 5", "--raw"),
            ("key agree --label x --peer p --size 0", "size"),
            ("key agree --label x --peer p --size 65537 --hex", "size"),
            ("key agree --label x --peer p --json --hex", "--output"), ("key agree --label x", "--peer"),
            ("import --format pem", "file"), ("import x --format xml", "xml"),
            ("import x --no-passphrase --passphrase-fd 3", "--passphrase-fd"), ("export", "--label"),
            ("export --label x --format pkcs8", "--private-key"),
            ("export --label x --format pkcs12", "--private-key"),
            ("export --label x --format pkcs12 --private-key --no-passphrase", "passphrase"),
            ("export --label x --private-key --certificate", "certificate"), ("export --label x --json", "--json"),
            ("find-identity -p smime", "smime"), ("find-identity -s host", "-p ssl-server"),
            ("find-key -D text", "-D"), ("find-key -j text", "-j"), ("find-key -c abcde", "-c"),
            ("find-key -t secret", "secret"), ("add-certificates", "files"), ("add-certificates -k x.keychain f", "-k"),
        ])
    func doesNotParse(_ line: String, _ named: String) {
        do {
            _ = try Latchkey.parseAsRoot(Self.words(line))
            Issue.record("it parses")
        } catch {
            #expect(Latchkey.message(for: error).contains(named), "\(Latchkey.message(for: error))")
        }
    }

    @Test(
        "a passphrase in the arguments is refused and not repeated",
        arguments: [
            ["import", "f.p12", "-P", "hunter2"], ["import", "f.p12", "-Phunter2"],
            ["import", "--passphrase", "hunter2", "f"], ["export", "--passphrase=hunter2", "--label", "x"],
            ["--json", "export", "--label", "x", "--password", "hunter2"],
        ])
    func passphrases(_ arguments: [String]) {
        let failure = #expect(throws: CommandFailure.self) { try ArgumentGuard.refuseSecrets(in: arguments) }
        #expect(failure?.status == .secretInArguments)
        #expect(failure?.text.contains("hunter2") == false)
        #expect(failure?.advice?.contains("--passphrase-fd") == true)
    }

    @Test(
        "the descriptor of a passphrase is not taken for a secret",
        arguments: [
            ["import", "f", "--passphrase-fd", "3"], ["export", "--label", "x", "--passphrase-fd=3"],
            ["import", "f", "--no-passphrase"], ["find-internet-password", "-s", "import", "-P", "443"],
        ])
    func descriptors(_ arguments: [String]) throws {
        try ArgumentGuard.refuseSecrets(in: arguments)
    }

    @Test(
        "the kind of a new key",
        arguments: [
            ("", KeyKind.ellipticCurve(.p256)), ("--size 384", .ellipticCurve(.p384)),
            ("--size 521", .ellipticCurve(.p521)), ("--enclave", .ellipticCurve(.p256)),
            ("--type rsa", .rsa(bits: 2048)), ("--type rsa --size 4096", .rsa(bits: 4096)),
            ("--type rsa --size 8192", .rsa(bits: 8192)),
        ])
    func kinds(_ line: String, _ kind: KeyKind) throws {
        #expect(try KeyGenerate.parse(Self.words(line)).kind() == kind)
    }

    @Test(
        "sizes for which no key is made",
        arguments: [
            "--size 255", "--size 512", "--size 224", "--size 0", "--type rsa --size 512",
            "--type rsa --size 2047", "--type rsa --size 1000000", "--type rsa --size 16384", "--enclave --size 384",
            "--enclave --type rsa",
        ])
    func noKinds(_ line: String) throws {
        let options = try KeyGenerate.parse(Self.words(line))
        #expect { try options.kind() } throws: { ($0 as? CommandFailure)?.status == .usage }
    }

    @Test("every name of a signature algorithm is read back, and means what it says")
    func signatureNames() {
        #expect(SignatureName.all.count == 20)
        for name in SignatureName.all {
            #expect(SignatureName(argument: name.text) == name)
            #expect(SignatureName(argument: name.text.uppercased()) == name)
            #expect(name.text.hasSuffix(name.digest.name.lowercased()))
            #expect(name.ofDigest == SignatureAlgorithm(name.scheme, name.digest, takesMessage: false))
        }
        #expect(Set(SignatureName.all.map(\.ofDigest)).count == 20)
        #expect(SignatureName.usual(for: .rsa).text == "rsa-pkcs1-sha256")
        #expect(SignatureName.usual(for: .ellipticCurve) == SignatureName(argument: "ecdsa-sha256"))
        #expect(SignatureName(argument: "rsa-pss-sha512")?.scheme == .rsaPSS)
        #expect(SignatureName(argument: "ecdsa-rfc4754-sha384")?.digest == .sha384)
        #expect(SignatureName(argument: "ecdsa") == nil)
    }

    @Test("a key is named by label, tag and application label, and by at least one of them")
    func selection() throws {
        let id = String(repeating: "0a", count: 20)
        let all = try KeySelection.parse(["-l", "x", "--tag", "y", "--id", id, "--access-group", "g"])
        #expect(
            try all.pairs() == [
                QueryPair("labl", .string("x")), QueryPair("atag", .data([0x79])),
                QueryPair("klbl", .data(Array(repeating: 10, count: 20))), QueryPair("agrp", .string("g")),
            ])
        for arguments in [[], ["--access-group", "g"], ["--id", "0a"], ["--id", String(repeating: "zz", count: 20)]] {
            let selection = try KeySelection.parse(arguments)
            #expect { try selection.pairs() } throws: { ($0 as? CommandFailure)?.status == .usage }
        }
    }

    @Test("the flags of find-key are the attributes that macOS's tool matches")
    func findKey() throws {
        let id = String(repeating: "0b", count: 20)
        #expect(
            try FindKey.parse(["-a", id, "-c", "abcd", "-l", "x", "-t", "private", "-s", "-w"]).pairs == [
                QueryPair("klbl", .data(Array(repeating: 11, count: 20))), QueryPair("crtr", .integer(0x6162_6364)),
                QueryPair("labl", .string("x")), QueryPair("kcls", .integer(1)), QueryPair("sign", .boolean(true)),
                QueryPair("wrap", .boolean(true)),
            ])
        #expect(try FindKey.parse(["-a", "text"]).pairs == [QueryPair("klbl", .data(Array("text".utf8)))])
        #expect(
            try FindKey.parse(["-d", "-e", "-r", "-u", "-v"]).pairs.map(\.key)
                == ["decr", "encr", "drve", "unwp", "vrfy"].map(PropertyValue.string))
        #expect(try FindKey.parse([]).pairs.isEmpty)
    }

    @Test("a key of the enclave is for signing and agreeing, under its conditions")
    func privateKeyUsage() throws {
        let plain = try ConditionOptions.parse([]).privateKeyUsage(accessible: nil)
        #expect(plain.flags == .privateKeyUsage)
        #expect(plain.protection == .whenUnlocked)
        let asking = try ConditionOptions.parse(["--require", "biometry-any", "--require", "passcode", "--any"])
        let rules = try asking.privateKeyUsage(accessible: "akpu")
        #expect(rules.flags == [.biometryAny, .devicePasscode, .or, .privateKeyUsage])
        #expect(rules.protection == .whenPasscodeSetThisDeviceOnly)
        #expect(throws: CommandFailure.self) { try ConditionOptions.parse(["--any"]).privateKeyUsage(accessible: nil) }
    }
}
