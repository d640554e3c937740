import Foundation
import Testing

@Suite("Keys that ask for a person, with real processes and a terminal")
struct KeyAuthenticationTests {
    @Test(
        "a key asks for the passcode at each signature, and openssl verifies what it signs",
        arguments: ["--enclave", ""])
    func passcode(_ options: String) throws {
        let device = try ThrowawayDevice.unlocked()
        let openssl = try OpenSSL(beside: device)
        try openssl.write("pay 100", to: "message")
        let made = try device.withoutTerminal("key generate \(options) --label bank --require passcode")
        try #require(made.status == 0, "\(made.errors)")
        try openssl.write(made.output, to: "public.pem")
        let sign = "key sign --label bank --prompt Pay \(openssl.path("message")) -o \(openssl.path("signature"))"
        for _ in 0..<2 {
            let terminal = try ControllingTerminal(sign, on: device)
            let shown = try terminal.read(until: "Passcode: ")
            #expect(shown.contains("It says: \"Pay\""))
            terminal.type("246810\n")
            let ending = try terminal.end()
            #expect(ending.status == 0, "\(ending.errors)")
            #expect(try openssl.says("dgst -sha256 -verify public.pem -signature signature message"))
            try FileManager.default.removeItem(atPath: openssl.path("signature"))
        }
        let silent = try device.withoutTerminal(sign + " --no-prompt")
        #expect(silent.status == 36, "\(silent.errors)")
        #expect(!FileManager.default.fileExists(atPath: openssl.path("signature")))
    }

    @Test("a key with a password of its own signs for a user who knows it")
    func applicationPassword() throws {
        let device = try ThrowawayDevice.unlocked()
        let making = try ControllingTerminal(
            "key generate --enclave --label vault --require application-password", on: device)
        try making.read(until: "New password: ")
        making.type("own\n")
        try making.read(until: "The same again: ")
        making.type("own\n")
        let made = try making.end()
        try #require(made.status == 0, "\(made.errors)")
        for (password, status) in [("own", 0), ("other", 51)] as [(String, Int32)] {
            let signing = try ControllingTerminal("key sign --label vault --hex", on: device, secret: "x")
            for _ in 0..<(status == 0 ? 1 : 3) {
                try signing.read(until: "Password: ")
                signing.type(password + "\n")
            }
            let ending = try signing.end()
            #expect(ending.status == status, "\(ending.errors)")
            #expect(ending.output.isEmpty == (status != 0))
        }
    }

    @Test("a user who cancels, or is wrong three times, gets no signature")
    func refused() throws {
        let device = try ThrowawayDevice.unlocked()
        try device("key generate --enclave --label bank --require passcode")
        let cancelled = try ControllingTerminal("key sign --label bank", on: device, secret: "x")
        try cancelled.read(until: "Passcode: ")
        cancelled.type("\u{3}")
        #expect(try cancelled.end().status == 128)
        let wrong = try ControllingTerminal("key sign --label bank", on: device, secret: "x")
        for passcode in ["111111", "222222", "333333"] {
            try wrong.read(until: "Passcode: ")
            wrong.type(passcode + "\n")
        }
        let ending = try wrong.end()
        #expect(ending.status == 51, "\(ending.errors)")
        #expect(ending.output.isEmpty)
    }

    @Test("a key of the enclave tells its public half and its attributes without asking")
    func publicHalf() throws {
        let device = try ThrowawayDevice.unlocked()
        let made = try device.withoutTerminal("key generate --enclave --label bank --require passcode")
        #expect(try device.withoutTerminal("key public --label bank --no-prompt").output == made.output)
        let listed = try device.withoutTerminal("key list")
        #expect(listed.output.contains("asks for passcode"), "\(listed.output)")
    }

    @Test("one finger, one signature; another finger signs nothing")
    func finger() throws {
        let device = try ThrowawayDevice()
        let reader = try LineReader(path: device.directory + "/reader")
        defer { reader.close() }
        try device.start(options: ["--test-only-sensor", reader.path])
        try #require(try device("passcode set", input: "246810\n").status == 0)
        reader.touch("completed")
        try #require(try device("finger enroll right-index-finger", input: "246810\n").status == 0)
        let openssl = try OpenSSL(beside: device)
        try openssl.write("challenge", to: "message")
        let made = try device("key generate --enclave --label login --require biometry-current-set")
        try #require(made.status == 0, "\(made.errors)")
        try openssl.write(made.output, to: "public.pem")

        let sign = "key sign --label login \(openssl.path("message")) -o \(openssl.path("signature"))"
        let terminal = try ControllingTerminal(sign, on: device)
        try terminal.read(until: "Touch the fingerprint reader.")
        reader.touch("matched right-index-finger")
        let ending = try terminal.end()
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(try openssl.says("dgst -sha256 -verify public.pem -signature signature message"))

        // Another finger is enrolled: the key was for those of that day.
        reader.touch("completed")
        try #require(try device("finger enroll left-thumb --yes", input: "246810\n").status == 0)
        let gone = try device("key sign --label login --no-prompt", input: "x")
        #expect(gone.status == 44, "\(gone.errors)")
    }

    @Test("the key of a passcode that was removed is gone, and said to be so")
    func removedPasscode() throws {
        let device = try ThrowawayDevice.unlocked()
        let accessible = "--accessible when-passcode-set-this-device-only"
        try #require(try device("key generate --enclave --label k \(accessible)").status == 0)
        #expect(try device("key sign --label k", input: "x").status == 0)
        try #require(try device("passcode remove --yes", input: "246810\n").status == 0)
        try #require(try device("passcode set", input: "135790\n").status == 0)
        let ending = try device("key sign --label k", input: "x")
        #expect(ending.status == 44, "\(ending.errors)")
    }
}
