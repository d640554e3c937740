import Foundation
import Testing

@Suite("Passwords of files: at the terminal, of the keychain, and in other programs")
struct FilePasswordTests {
    private func encrypted() throws -> FileStage {
        let stage = try FileStage()
        try stage.write(FileStage.bytes(100_000), to: "f")
        try #require(try stage("$L encrypt f --password-fd 3 3<pw").status == 0)
        return stage
    }

    @Test("a new password is asked for twice without echo, an old one once; the progress is shown meanwhile")
    func terminal() throws {
        let (device, stage) = (try ThrowawayDevice(), try FileStage())
        try stage.write(FileStage.bytes(100_000), to: "f")
        let encrypting = try ControllingTerminal("encrypt \(stage.path("f"))", on: device)
        try encrypting.read(until: "New password for \(stage.path("f")).rnc: ")
        encrypting.type("correct horse\n")
        try encrypting.read(until: "The same again: ")
        encrypting.type("correct horse\n")
        let shown = try encrypting.read(until: "100%")
        #expect(shown.contains("Encrypting   0%"))
        let made = try encrypting.end()
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output.contains("encrypted."))
        #expect(!(shown + made.errors).contains("horse"))
        #expect(made.errors.contains("It echoes."))

        let decrypting = try ControllingTerminal(
            "decrypt \(stage.path("f.rnc")) -o \(stage.path("g"))", on: device)
        try decrypting.read(until: "Password of \(stage.path("f.rnc")): ")
        decrypting.type("correct horse\n")
        try decrypting.read(until: "Checking 100%")
        try decrypting.read(until: "Decrypting 100%")
        #expect(try decrypting.end().status == 0)
        #expect(try stage.bytes("g") == stage.bytes("f"))
    }

    @Test("two entries that differ encrypt nothing, and --quiet shows no progress")
    func differing() throws {
        let (device, stage) = (try ThrowawayDevice(), try FileStage())
        try stage.write([1], to: "f")
        for (again, status) in [("other\n", 31), ("one\n", 0)] as [(String, Int32)] {
            let terminal = try ControllingTerminal("encrypt --quiet \(stage.path("f"))", on: device)
            try terminal.read(until: "New password")
            terminal.type("one\n")
            try terminal.read(until: "again: ")
            terminal.type(again)
            let ending = try terminal.end()
            #expect(ending.status == status)
            #expect(!ending.errors.contains("%"))
            #expect(stage.has("f.rnc") == (status == 0))
        }
    }

    @Test("where standard input has the file, the terminal is asked")
    func fileOnStandardInput() throws {
        let (device, stage) = (try ThrowawayDevice(), try FileStage())
        let terminal = try ControllingTerminal(
            "encrypt - -o \(stage.path("f.rnc"))", on: device, secret: "what is encrypted")
        try terminal.read(until: "New password for \(stage.path("f.rnc")): ")
        terminal.type("correct horse\n")
        try terminal.read(until: "again: ")
        terminal.type("correct horse\n")
        let ending = try terminal.end()
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(ending.errors.contains("It echoes."))
        #expect(try stage("$L decrypt f.rnc -o - --password-fd 3 3<pw").output == "what is encrypted\n")
    }

    @Test("the bytes of a file are not written to a terminal, and none are read from one")
    func noTerminal() throws {
        let (device, stage) = (try ThrowawayDevice(), try encrypted())
        for line in ["encrypt \(stage.path("f")) -o -", "decrypt \(stage.path("f.rnc")) -o -"] {
            let ending = try stage(
                "script --quiet --return --command \"$L \(line) --password-fd 3 3<pw\" /dev/null </dev/null")
            #expect(ending.status == 35, "\(ending.output)")
            #expect(ending.output.contains("--output"))
        }
        let reading = try ControllingTerminal("encrypt", on: device).end()
        #expect(reading.status == 64)
        #expect(reading.errors.contains("terminal"))
    }

    @Test("the password of an item encrypts and decrypts, if exactly one fits and the device is unlocked")
    func items() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try stage.write(FileStage.bytes(1000), to: "f")
        try device("add-generic-password -s backup -a me", input: "correct horse")
        try device("add-generic-password -s other -a me", input: "another one")
        let file = stage.path("f")
        #expect(try device("encrypt \(file) -s backup --json").json()["bytes"] as? Int == 1000)
        #expect(try stage("$L decrypt f.rnc -o g --password-fd 3 3<pw && cmp f g").status == 0)
        #expect(try device("decrypt \(file).rnc -o \(file).2 -s backup -a me").status == 0)
        #expect(try stage.bytes("f.2") == stage.bytes("f"))
        #expect(try device("decrypt \(file).rnc -o \(file).3 -s other").status == 63)
        #expect(try device("decrypt \(file).rnc -o \(file).3 -a me").status == 38)
        #expect(try device("decrypt \(file).rnc -o \(file).3 -s nothing").status == 44)
        #expect(try device("lock --now").status == 0)
        #expect(try device("decrypt \(file).rnc -o \(file).3 -s backup").status == 36)
        #expect(!stage.has("f.3"))
    }

    @Test("an item's password may be any bytes, also such as no terminal can type")
    func binaryItem() throws {
        let (device, stage) = (try ThrowawayDevice.unlocked(), try FileStage())
        try stage.write(FileStage.bytes(1000), to: "f")
        try device("add-generic-password -s bytes -X", input: "ff000a0d80")
        let file = stage.path("f")
        #expect(try device("encrypt \(file) -s bytes").status == 0)
        #expect(try device("decrypt \(file).rnc -o \(file).2 -s bytes").status == 0)
        #expect(try stage.bytes("f.2") == stage.bytes("f"))
    }

    @Test("Python's rncryptor opens our files, and we open its")
    func python() throws {
        let stage = try FileStage()
        let library = Installation.repositoryFile(".build/python")
        try #require(
            FileManager.default.fileExists(atPath: library + "/rncryptor.py"),
            "rncryptor is missing (Scripts/install-python)")
        for (index, count) in [0, 1, 15, 16, 17, 70_000].enumerated() {
            try stage.write(FileStage.bytes(count), to: "f\(index)")
            try #require(try stage("$L encrypt f\(index) --password-fd 3 3<pw").status == 0)
        }
        let ending = try stage(
            """
            /usr/bin/python3 - <<'END'
            import rncryptor
            class Bytes(rncryptor.RNCryptor):
                def post_decrypt_data(self, data):
                    return data[:-data[-1]]
            for index in range(6):
                plain = open(f"f{index}", "rb").read()
                assert Bytes().decrypt(open(f"f{index}.rnc", "rb").read(), "correct horse") == plain, index
                open(f"p{index}.rnc", "wb").write(rncryptor.encrypt(plain, "correct horse"))
            END
            for i in 0 1 2 3 4 5; do "$L" decrypt p$i.rnc -q --password-fd 3 3<pw && cmp f$i p$i || exit 1; done
            """, environment: ["PYTHONPATH": library])
        #expect(ending.status == 0, "\(ending.errors)")
    }
}
