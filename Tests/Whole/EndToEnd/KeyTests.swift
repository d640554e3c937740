import Foundation
import Glibc
import Testing

@Suite("Keys through the command line, the daemon and the enclave, with openssl as the other side")
struct KeyTests {
    private static let message = "login challenge 4711\n"

    /// A device, and a directory with the file `message`.
    private func stage() throws -> (ThrowawayDevice, OpenSSL) {
        let device = try ThrowawayDevice.unlocked()
        let openssl = try OpenSSL(beside: device)
        try openssl.write(Self.message, to: "message")
        return (device, openssl)
    }

    @Test(
        "a key is made, listed, its public half read by openssl, and deleted",
        arguments: [
            ("", "ec", 256, "prime256v1"), ("--size 384", "ec", 384, "secp384r1"),
            ("--size 521", "ec", 521, "secp521r1"),
            ("--type rsa --size 2048", "rsa", 2048, "(2048 bit)"), ("--enclave", "ec", 256, "prime256v1"),
        ])
    func life(_ options: String, _ type: String, _ bits: Int, _ shown: String) throws {
        let (device, openssl) = try stage()
        let made = try device("key generate \(options) --label login --tag org.example.login --json")
        try #require(made.status == 0, "\(made.errors)\(made.output)")
        let id = try #require(try made.json()["id"] as? String)
        #expect(id.utf8.count == 40)
        let listed = try #require(try device("key list --json").json()["keys"] as? [[String: Any]])
        try #require(listed.count == 1)
        #expect(listed[0]["id"] as? String == id)
        #expect(listed[0]["label"] as? String == "login")
        #expect(listed[0]["tag"] as? String == "org.example.login")
        #expect(listed[0]["type"] as? String == type)
        #expect(listed[0]["bits"] as? Int == bits)
        #expect(listed[0]["kind"] as? String == "private")
        #expect(listed[0]["where"] as? String == (options == "--enclave" ? "enclave" : "keychain"))
        #expect(listed[0]["protection"] as? String == "ak")

        let pem = try device("key public --label login").output
        #expect(try made.json()["publicKey"] as? String == pem)
        try openssl.write(pem, to: "public.pem")
        #expect(try openssl("pkey -pubin -in public.pem -noout -text").output.contains(shown))
        for selector in ["--tag org.example.login", "--id \(id)"] {
            #expect(try device("key public \(selector)").output == pem)
        }
        #expect(try device("key public --label login --der -o \(openssl.path("public.der"))").status == 0)
        #expect(try openssl("pkey -pubin -inform DER -in public.der").output == pem)

        #expect(try device("key delete --label login").status == 37)
        #expect(try device("key delete --label login --yes --json").json()["deleted"] as? Int == 1)
        #expect(try device("key public --label login").status == 44)
        #expect(try device("key list").output.contains("no keys"))
    }

    @Test(
        "openssl verifies what a key signs, and the tool says whether it verifies what openssl does",
        arguments: [
            ("", "ecdsa-sha256", "-sha256"), ("", "ecdsa-sha512", "-sha512"), ("--enclave", "ecdsa-sha256", "-sha256"),
            ("--enclave", "ecdsa-sha384", "-sha384"), ("--size 521", "ecdsa-sha1", "-sha1"),
            ("--type rsa", "rsa-pkcs1-sha256", "-sha256"), ("--type rsa", "rsa-pkcs1-sha224", "-sha224"),
            ("--type rsa", "rsa-pss-sha512", "-sha512 -sigopt rsa_padding_mode:pss -sigopt rsa_pss_saltlen:digest"),
        ])
    func signatures(_ options: String, _ algorithm: String, _ verification: String) throws {
        let (device, openssl) = try stage()
        try openssl.write(device("key generate \(options) --label k").output, to: "public.pem")
        let (message, signature) = (openssl.path("message"), openssl.path("signature"))
        let signed = try device("key sign --label k --algorithm \(algorithm) \(message) -o \(signature)")
        try #require(signed.status == 0, "\(signed.errors)")
        #expect(try openssl.says("dgst \(verification) -verify public.pem -signature signature message"))
        let verify = "key verify --algorithm \(algorithm) --signature \(signature)"
        #expect(try device("\(verify) --label k \(message)").output.hasPrefix("OK"))
        #expect(try device("\(verify) --public \(openssl.path("public.pem")) \(message)").status == 0)
        #expect(try device("\(verify) --label k", input: Self.message).status == 0)
        let wrong = try device("\(verify) --label k", input: Self.message + "!")
        #expect(wrong.status == 62)
        #expect(wrong.errors.contains("does not verify"))
        #expect(wrong.output.isEmpty)
    }

    @Test("signatures that openssl makes verify, in every way to write them, and not with another algorithm")
    func foreignSignatures() throws {
        let (device, openssl) = try stage()
        try openssl("genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -out k.key")
        try openssl("pkey -in k.key -pubout -out k.pem")
        try openssl("dgst -sha256 -sign k.key -out k.sig message")
        try openssl("base64 -in k.sig -out k.b64")
        let hex = try openssl.bytes("k.sig").map { String(format: "%02x", $0) }.joined() + "\n"
        try openssl.write(hex, to: "k.hex")
        let verify = "key verify --public \(openssl.path("k.pem")) \(openssl.path("message")) --signature"
        #expect(try device("\(verify) \(openssl.path("k.sig"))").status == 0)
        #expect(try device("\(verify) \(openssl.path("k.b64")) --base64").status == 0)
        #expect(try device("\(verify) \(openssl.path("k.hex")) --hex").status == 0)
        #expect(try device("\(verify) \(openssl.path("k.sig")) --hex").status == 33)
        #expect(try device("\(verify) \(openssl.path("k.sig")) --algorithm ecdsa-sha512").status == 62)
        #expect(try device("\(verify) \(openssl.path("k.sig")) --algorithm ecdsa-rfc4754-sha256").status == 62)
        #expect(try device("\(verify) \(openssl.path("k.sig")) --algorithm rsa-pss-sha256").status == 48)
        #expect(try device("\(verify) \(openssl.path("k.hex"))").status == 62)
        #expect(try device("\(verify) /nonexistent").status == 32)
        let mistaken = try device(
            "key verify --public \(openssl.path("k.key")) --signature \(openssl.path("k.sig")) x")
        #expect(mistaken.status == 33)
        #expect(mistaken.errors.contains("holds a private key"))
        #expect(try device("key verify --public \(openssl.path("message")) --signature x").status == 32)
        #expect(
            try device("key verify --public \(openssl.path("message")) --signature \(openssl.path("k.sig")) x").status
                == 33)
    }

    @Test("a key of the enclave signs r and s, and its signatures come in base64 and hexadecimal too")
    func forms() throws {
        let (device, openssl) = try stage()
        try device("key generate --enclave --label k")
        let raw = try device("key sign --label k --hex --algorithm ecdsa-rfc4754-sha256", input: Self.message)
        #expect(raw.output.utf8.count == 129)
        try openssl.write(raw.output, to: "raw.hex")
        let verify = "key verify --label k --algorithm ecdsa-rfc4754-sha256 --hex --signature"
        #expect(try device("\(verify) \(openssl.path("raw.hex"))", input: Self.message).status == 0)
        let base64 = try device("key sign --label k --base64", input: Self.message).output
        try openssl.write(base64, to: "k.b64")
        #expect(
            try device("key verify --label k --base64 --signature \(openssl.path("k.b64"))", input: Self.message)
                .status == 0)
        let json = try device("key sign --label k --json", input: Self.message).json()
        #expect((json["signature"] as? [String: String])?["hex"]?.hasPrefix("30") == true)
        #expect(json["algorithm"] as? String == "ecdsa-sha256")
        #expect(try device("key sign --label k --algorithm rsa-pss-sha256", input: "x").status == 48)
    }

    @Test("two keys agree on a secret, derived and raw, as openssl does", arguments: ["", "--enclave"])
    func agreement(_ options: String) throws {
        let (device, openssl) = try stage()
        try openssl.write(device("key generate \(options) --label mine").output, to: "mine.pem")
        try openssl("genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-256 -out theirs.key")
        try openssl("pkey -in theirs.key -pubout -out theirs.pem")
        try openssl("pkeyutl -derive -inkey theirs.key -peerkey mine.pem -out theirs.bin")
        let agree = "key agree --label mine --peer \(openssl.path("theirs.pem"))"
        let raw = try device("\(agree) --raw -o \(openssl.path("mine.bin"))")
        #expect(raw.status == 0, "\(raw.errors)")
        #expect(try openssl.bytes("mine.bin") == openssl.bytes("theirs.bin"))
        let attributes = try FileManager.default.attributesOfItem(atPath: openssl.path("mine.bin"))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        // Over a file that is there nothing is written.
        #expect(try device("\(agree) --raw -o \(openssl.path("mine.bin"))").status == 1)

        let secret = try openssl.bytes("theirs.bin").map { String(format: "%02x", $0) }.joined()
        try openssl(
            "kdf -keylen 40 -binary -kdfopt digest:SHA256 -kdfopt hexkey:\(secret) -kdfopt hexinfo:0a0b"
                + " -out derived.bin X963KDF"
        )
        let derived = try openssl.bytes("derived.bin").map { String(format: "%02x", $0) }.joined()
        #expect(try device("\(agree) --derive sha256 --size 40 --info 0a0b --hex").output == derived + "\n")
        #expect(try device("\(agree) --size 40 --hex").output != derived + "\n")
        #expect(try device("\(agree) --info xyz --hex").status == 64)

        try openssl("genpkey -algorithm ec -pkeyopt ec_paramgen_curve:P-384 -out other.key")
        try openssl("pkey -in other.key -pubout -out other.pem")
        let other = try device("key agree --label mine --peer \(openssl.path("other.pem")) --hex")
        #expect(other.status == 48)
        #expect(other.output.isEmpty)
    }

    @Test("a file of many megabytes is signed and verified")
    func largeFile() throws {
        let (device, openssl) = try stage()
        let path = openssl.path("large")
        try Data().write(to: URL(filePath: path))
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.truncate(atOffset: 80 << 20)
        try handle.close()
        try openssl.write(device("key generate --enclave --label k").output, to: "public.pem")
        #expect(try device("key sign --label k \(path) -o \(openssl.path("signature"))").status == 0)
        #expect(try openssl.says("dgst -sha256 -verify public.pem -signature signature large"))
    }

    @Test("a deleted key of the enclave is gone, and so are keys of a device that is erased")
    func deletion() throws {
        let (device, _) = try stage()
        try device("key generate --enclave --label k")
        let warned = try ControllingTerminal("key delete --label k", on: device)
        try warned.read(until: "no copy anywhere")
        try warned.read(until: "Type delete to go on: ")
        warned.type("no\n")
        #expect(try warned.end().status == 37)
        #expect(try device("key sign --label k", input: "x").status == 0)
        let meant = try ControllingTerminal("key delete --label k", on: device)
        try meant.read(until: "Type delete to go on: ")
        meant.type("delete\n")
        #expect(try meant.end().status == 0)
        #expect(try device("key sign --label k", input: "x").status == 44)
    }

    @Test("a locked device signs with no key that is protected by that", arguments: ["", "--enclave"])
    func locked(_ options: String) throws {
        let (device, _) = try stage()
        try device("key generate \(options) --label k")
        try device("key generate \(options) --label always --accessible always-this-device-only")
        try device("lock --now")
        let refused = try device("key sign --label k", input: "x")
        #expect(refused.status == 36, "\(refused.errors)")
        #expect(refused.errors.contains("-25308"))
        let signed = try device("key sign --label always", input: "x")
        #expect(signed.status == 0, "\(signed.errors)")
        #expect(try device("key generate \(options) --label other").status == 36)
        try device("unlock", input: "246810\n")
        #expect(try device("key sign --label k", input: "x").status == 0)
    }

    @Test("several keys under one name are not confused")
    func ambiguous() throws {
        let (device, _) = try stage()
        try device("key generate --label k")
        let second = try device("key generate --enclave --label k --json").json()
        let id = try #require(second["id"] as? String)
        #expect(try device("key sign --label k", input: "x").status == 38)
        #expect(try device("key public --label k").status == 38)
        #expect(try device("key delete --label k --yes").status == 38)
        #expect(try device("key sign --id \(id)", input: "x").status == 0)
        #expect(try device("key delete --label k --yes --all --json").json()["deleted"] as? Int == 2)
    }

    @Test("another program's keys need the passcode, each time")
    func foreignGroup() throws {
        let (device, openssl) = try stage()
        let group = "--access-group com.example.mail"
        let made = try device("key generate --label k \(group)", input: "246810\n")
        #expect(made.status == 0, "\(made.errors)")
        try openssl.write(made.output, to: "public.pem")
        #expect(try device("key sign --label k", input: "x").status == 44)
        #expect(try device("key public --label k \(group)", input: "999999\n").status == 51)
        #expect(try device("key public --label k \(group)", input: "246810\n").output == made.output)
        let sign = "key sign --label k \(group) \(openssl.path("message")) -o \(openssl.path("signature"))"
        #expect(try device(sign, input: "246810\n").status == 0)
        #expect(try openssl.says("dgst -sha256 -verify public.pem -signature signature message"))
        #expect(try device("key list --json \(group)", input: "246810\n").output.contains("com.example.mail"))
    }

    @Test("keys appear in dump-keychain and find-key by their attributes, never with what is secret")
    func listings() throws {
        let (device, openssl) = try stage()
        try device("key generate --label soft --tag org.example.tag")
        try device("key generate --enclave --label hard")
        try device("key generate --type rsa --label big")
        let exported = openssl.path("soft.der")
        #expect(
            try device("export --label soft --format pkcs8 --private-key --no-passphrase -o \(exported)").status == 0)
        try openssl("ec -inform DER -in soft.der -noout -text -out soft.txt")
        let text = String(decoding: try openssl.bytes("soft.txt"), as: UTF8.self)
        let number = try #require(text.components(separatedBy: "priv:").last?.components(separatedBy: "pub:").first)
            .filter(\.isHexDigit).suffix(64)
        try #require(number.count == 64)
        for command in [
            "dump-keychain", "dump-keychain -d", "find-key", "key list", "item find class=keys MatchLimit=all",
        ] {
            for option in ["", " --json"] {
                let ending = try device(command + option)
                #expect(ending.status == 0, "\(command): \(ending.errors)")
                #expect(ending.output.contains("org.example.tag") || option == " --json", "\(command)")
                for label in ["soft", "hard", "big"] { #expect(ending.output.contains(label), "\(command)") }
                #expect(!ending.output.contains(number), "\(command)")
            }
        }
        let signing = try #require(try device("find-key -s -t private --json").json()["keys"] as? [[String: Any]])
        #expect(signing.count == 3)
        let decrypting = try #require(try device("find-key -l big -d --json").json()["keys"] as? [[String: Any]])
        #expect(decrypting.count == 1)
        #expect(try device("find-key -t public").status == 44)
        #expect(try device("find-key -v").status == 44)
        #expect(try device("status").output.contains("3 keys"))
    }

    @Test(
        "mistakes have messages that say what to do",
        arguments: [
            ("key sign --label none", 44, "key list"), ("key sign", 64, "--label"),
            ("key public --id 12", 64, "40 hexadecimal"),
            ("key generate --size 300", 64, "256, 384 and 521"), ("key generate --enclave --type rsa", 64, "P-256"),
            ("key generate --accessible never", 64, "when-unlocked"),
            ("key sign --label k /nonexistent", 32, "No such file"),
            ("key agree --label k --peer /nonexistent --hex", 32, "No such file"),
            ("key delete --label none --yes", 44, "-25300"),
        ] as [(String, Int32, String)])
    func mistakes(_ line: String, _ status: Int32, _ text: String) throws {
        let (device, _) = try stage()
        try device("key generate --label k")
        let ending = try device(line)
        #expect(ending.status == status, "\(ending.errors)")
        #expect(ending.errors.contains(text), "\(ending.errors)")
        #expect(ending.output.isEmpty)
    }
}
