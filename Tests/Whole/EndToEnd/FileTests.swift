import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

@Suite("Files encrypted and decrypted through the command line")
struct FileTests {
    private static let piece = 1 << 20

    @Test("files of all sizes come back, through files and through pipes")
    func roundTrips() throws {
        let stage = try FileStage()
        let edges = [0, 1, 15, 16, 17, 31, 32, 33, 47, 48, 49]
        let large = [-83, -82, -66, -48, -17, -16, -1, 0, 1, 16].map { Self.piece + $0 } + [3 * Self.piece + 5]
        for count in edges + large {
            let plain = FileStage.bytes(count)
            try stage.write(plain, to: "f")
            let made = try stage("$L encrypt f --password-fd 3 3<pw")
            try #require(made.status == 0, "\(count): \(made.errors)")
            #expect(made.output.hasPrefix("f.rnc: "))
            #expect(made.errors.isEmpty)
            #expect(try stage.bytes("f.rnc").count == 34 + (count / 16 + 1) * 16 + 32)
            #expect(try stage.bytes("f.rnc").starts(with: [3, 1]))
            stage.remove("f")
            let opened = try stage("$L decrypt f.rnc --password-fd 3 3<pw")
            try #require(opened.status == 0, "\(count): \(opened.errors)")
            #expect(try stage.bytes("f") == plain)
            let piped = try stage(
                "cat f | $L encrypt --password-fd 3 3<pw | $L decrypt --password-fd 3 3<pw | cmp - f")
            #expect(piped.status == 0, "\(count): \(piped.errors)")
            stage.remove("f.rnc")
        }
        #expect(try stage.names() == ["f"])
    }

    @Test("the result is a new file of mode 600, and --json tells about it")
    func results() throws {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(1000), to: "f")
        let made = try stage("umask 0; $L encrypt f -o g --json --password-fd 3 3<pw").json()
        #expect(made["input"] as? String == "f")
        #expect(made["output"] as? String == "g")
        #expect(made["bytes"] as? Int == 1000)
        #expect(made["version"] as? Int == 3)
        #expect(made["beginningChecked"] as? Bool == true)
        #expect(try stage("stat -c %a g").output == "600\n")
        #expect(try stage("umask 0777; $L encrypt f -o i -q --password-fd 3 3<pw; stat -c %a i").output == "600\n")
        let opened = try stage("umask 0; $L decrypt - -o h --json --password-fd 3 3<pw <g").json()
        #expect(opened["input"] is NSNull)
        #expect(opened["bytes"] as? Int == 1000)
        #expect(try stage("stat -c %a h && cmp f h").output == "600\n")
        let quiet = try stage("$L encrypt f -q --password-fd 3 3<pw")
        #expect(quiet.status == 0)
        #expect((quiet.output + quiet.errors).isEmpty)
    }

    @Test("standard input is read from where it stands, standard output is written to where it stands")
    func positions() throws {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(100), to: "f")
        let ending = try stage(
            """
            { printf head; "$L" encrypt f -o - --password-fd 3 3<pw; } >both
            { dd bs=4 count=1 status=none; "$L" decrypt --password-fd 3 3<pw; } <both >out
            { printf head; cat f; } | cmp - out
            """)
        #expect(ending.status == 0, "\(ending.errors)")
    }

    @Test("a wrong password opens nothing, and leaves nothing")
    func wrongPassword() throws {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(5000), to: "f")
        try #require(try stage("$L encrypt f --password-fd 3 3<pw").status == 0)
        for line in ["$L decrypt f.rnc -o g", "$L decrypt f.rnc -o - >out", "cat f.rnc | $L decrypt >out"] {
            let ending = try stage("\(line) --password-fd 3 3<wrong")
            #expect(ending.status == 63, "\(ending.errors)")
            #expect(ending.errors.contains("password"))
            if line.contains(">out") { #expect(try stage.bytes("out").isEmpty) }
            stage.remove("out")
        }
        #expect(try stage.names() == ["f", "f.rnc"])
    }

    @Test("whatever is damaged is refused, with the reason, before a byte of it is released")
    func damaged() throws {
        let stage = try FileStage()
        let count = Self.piece + 5000
        try stage.write(FileStage.bytes(count), to: "f")
        try #require(try stage("$L encrypt f --password-fd 3 3<pw").status == 0)
        let whole = try stage.bytes("f.rnc")
        func flipped(_ offset: Int, to byte: UInt8? = nil) -> [UInt8] {
            var bytes = whole
            bytes[offset] = byte ?? bytes[offset] ^ 1
            return bytes
        }
        let cases: [(String, [UInt8], Int32, String)] = [
            ("empty", [], 33, "too short"), ("one byte", [3], 33, "too short"),
            ("half a header", Array(whole[..<20]), 33, "too short"),
            ("a header", Array(whole[..<34]), 33, "too short"), ("no block", Array(whole[..<66]), 33, "too short"),
            ("one byte less", Array(whole.dropLast()), 33, "not whole"), ("one more", whole + [0], 33, "not whole"),
            ("one block less", Array(whole.dropLast(16)), 63, "password"),
            ("one more block", whole + whole[..<16], 63, "password"),
            ("cut at a piece", Array(whole[..<(Self.piece + 2)]), 63, "password"),
            ("another format", Array("%PDF-1.7 and so on, and so on, and so on, and so on".utf8), 33, "format"),
            ("version 0", flipped(0, to: 0), 33, "version"), ("version 4", flipped(0, to: 4), 33, "version"),
            ("version 2", flipped(0, to: 2), 63, "password"), ("version 1", flipped(0, to: 1), 63, "password"),
            ("keys", flipped(1, to: 0), 33, "keys"), ("options", flipped(1, to: 3), 33, "second byte"),
            ("salt", flipped(2), 63, "password"), ("other salt", flipped(17), 63, "password"),
            ("vector", flipped(33), 63, "password"), ("first block", flipped(34), 63, "password"),
            ("middle", flipped(Self.piece), 63, "password"), ("last block", flipped(whole.count - 33), 63, "password"),
            ("code", flipped(whole.count - 32), 63, "password"), ("end", flipped(whole.count - 1), 63, "password"),
        ]
        for (name, bytes, status, words) in cases {
            try stage.write(bytes, to: "d.rnc")
            for line in ["$L decrypt d.rnc", "$L decrypt d.rnc -o - >out", "cat d.rnc | $L decrypt >out"] {
                let ending = try stage("\(line) --password-fd 3 3<pw")
                #expect(ending.status == status, "\(name), \(line): \(ending.errors)")
                #expect(ending.errors.contains(words), "\(name), \(line): \(ending.errors)")
                #expect(ending.errors.contains("do:"))
                if line.contains(">out") { #expect(try stage.bytes("out").isEmpty, "\(name), \(line)") }
                stage.remove("out")
            }
            #expect(try stage.names() == ["f", "f.rnc", "d.rnc"], "\(name)")
        }
    }

    @Test("an output that is there stays unless it is to be replaced, and then until its replacement is complete")
    func existing() throws {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(100), to: "f")
        try stage.write([1, 2, 3], to: "f.rnc")
        let refused = try stage("$L encrypt f --password-fd 3 3<pw")
        #expect(refused.status == 39)
        #expect(refused.errors.contains("--force"))
        #expect(try stage.bytes("f.rnc") == [1, 2, 3])
        #expect(try stage("$L encrypt f -f --password-fd 3 3<pw").status == 0)
        #expect(try stage("$L decrypt f.rnc --password-fd 3 3<pw").status == 39)
        try stage.write([9], to: "f")
        #expect(try stage("$L decrypt f.rnc -f --password-fd 3 3<wrong").status == 63)
        #expect(try stage.bytes("f") == [9])
        #expect(try stage("$L decrypt f.rnc --force --password-fd 3 3<pw").status == 0)
        #expect(try stage.bytes("f") == FileStage.bytes(100))
        #expect(try stage("ln -s f link; $L encrypt f -f -o link --password-fd 3 3<pw").status == 73)
        #expect(try stage.names() == ["f", "f.rnc", "link"])
    }

    @Test(
        "what cannot be read or named ends with its code, before a password is asked for",
        arguments: [
            ("$L encrypt nothing", 32, "nothing"), ("$L encrypt .", 32, "directory"), ("$L decrypt f", 64, "--output"),
            ("$L encrypt f -o - >>f", 64, "input"), ("$L encrypt f -o no/f", 73, "no/f"),
            ("$L encrypt f -o - --json", 64, "--output"), ("$L decrypt f -o g", 33, "format"),
            ("$L encrypt f --password hunter2", 30, "--password-fd"),
        ] as [(String, Int32, String)])
    func refused(_ line: String, _ status: Int32, _ words: String) throws {
        let stage = try FileStage()
        try stage.write(Array("text".utf8), to: "f")
        let ending = try stage("\(line) </dev/null")
        #expect(ending.status == status, "\(ending.errors)")
        #expect((ending.errors + ending.output).contains(words), "\(ending.errors)")
        #expect(!ending.errors.contains("hunter2"))
        #expect(try stage.bytes("f") == Array("text".utf8))
        #expect(try stage.names() == ["f"])
    }

    @Test(
        "a password that is empty or not there is refused",
        arguments: ["3<<<''", "3</dev/null", "3<&-"])
    func noPassword(_ redirection: String) throws {
        let stage = try FileStage()
        try stage.write([1], to: "f")
        let ending = try stage("$L encrypt f --password-fd 3 \(redirection)")
        #expect(ending.status == 31, "\(ending.errors)")
        #expect(ending.errors.contains("assword"))
        #expect(try stage.names() == ["f"])
    }

    @Test("the password is a line of standard input where that is not a terminal and does not carry the file")
    func standardInput() throws {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(20), to: "f")
        #expect(try stage("$L encrypt f <pw").status == 0)
        #expect(try stage("$L decrypt f.rnc -o g <pw && cmp f g").status == 0)
        let neither = try stage("setsid --wait \"$L\" encrypt - -o h <f")
        #expect(neither.status == 31)
        #expect(neither.errors.contains("--password-fd"))
        #expect(!stage.has("h"))
    }

    @Test("files of versions 1 and 2 are opened, with a note about what version 1 does not check")
    func olderVersions() throws {
        let stage = try FileStage()
        try stage.write(Array("password\n".utf8), to: "pw")
        let ciphertexts: [UInt8: String] = [1: try Self.message(of: "v1"), 2: try Self.message(of: "v2")]
        for (version, text) in ciphertexts {
            let digits = Array(text.utf8)
            let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
            }
            try #require(bytes.first == version)
            try stage.write(bytes, to: "m.rnc")
            let ending = try stage("$L decrypt m.rnc -o - --password-fd 3 3<pw")
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(ending.output == "This is a longer test vector intended to be longer than one block.")
            #expect(ending.errors.contains("version 1") == (version == 1))
            let quiet = try stage("$L decrypt m.rnc -fqo m --json --password-fd 3 3<pw")
            #expect(quiet.errors.contains("version 1") == (version == 1), "a warning does not count as progress")
            #expect(try quiet.json()["beginningChecked"] as? Bool == (version != 1))
        }
    }

    @Test("in version 1 an altered vector that breaks the padding looks like a wrong password")
    func versionOnePadding() throws {
        let stage = try FileStage()
        let ending = try stage(
            """
            /usr/bin/python3 - <<'END'
            import hashlib, hmac, subprocess
            key = lambda salt: hashlib.pbkdf2_hmac("sha1", b"correct horse", salt, 10000, 32)
            ours, theirs, vector = b"8 bytes.", b"other 8.", b"initialisation v"
            ciphertext = subprocess.run(
                ["openssl", "enc", "-aes-256-cbc", "-K", key(ours).hex(), "-iv", vector.hex()],
                input=b"abc", stdout=subprocess.PIPE, check=True).stdout
            code = hmac.new(key(theirs), ciphertext, "sha256").digest()
            for name, last in (("good", vector[15]), ("bad", vector[15] ^ 0x40)):
                header = b"\\x01\\x01" + ours + theirs + vector[:15] + bytes([last])
                open(name + ".rnc", "wb").write(header + ciphertext + code)
            END
            "$L" decrypt good.rnc -o - --password-fd 3 3<pw
            """)
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.output == "abc")
        let altered = try stage("$L decrypt bad.rnc -o g --password-fd 3 3<pw")
        let wrong = try stage("$L decrypt bad.rnc -o g --password-fd 3 3<wrong")
        #expect(altered.status == 63)
        #expect(altered.errors == wrong.errors)
    }

    @Test("a closed standard descriptor becomes neither the password nor a part of the file")
    func closedDescriptors() throws {
        let stage = try FileStage()
        try stage.write(Array("first line\n".utf8), to: "f")
        let input = try stage("$L encrypt f -o g <&-")
        #expect(input.status == 31)
        #expect(input.errors.contains("no password"), "\(input.errors)")
        #expect(try stage("$L encrypt - -o g --password-fd 3 3<pw <&-").status == 32)
        #expect(try stage.names() == ["f"])
        // The result would get the number of standard error or output, and the messages would go into it.
        #expect(try stage("$L encrypt f -o g --password-fd 3 3<pw >&-").status == 1, "what it says cannot be written")
        #expect(try stage("$L encrypt f -o h --password-fd 3 3<pw 2>&-").status == 0)
        #expect(try stage("$L encrypt f -o - --password-fd 3 3<pw >&-").status == 73)
        for name in ["g", "h"] {
            #expect(try stage("$L decrypt \(name) -o - --password-fd 3 3<pw | cmp - f").status == 0)
        }
        #expect(try stage("$L decrypt g -o - --password-fd 3 3<pw <&- 2>&- | cmp - f").status == 0)
    }

    /// The message of the case "Multi-block" of a version's vectors.
    private static func message(of version: String) throws -> String {
        let path = Installation.repositoryFile("Fixtures/Vectors/rncryptor/\(version)/password")
        let cases = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "title:")
        let found = try #require(cases.first { $0.contains("Multi-block") })
        let line = try #require(found.split(separator: "\n").first { $0.hasPrefix("ciphertext_hex:") })
        return line.dropFirst("ciphertext_hex:".count).filter(\.isHexDigit)
    }
}
