import Foundation
import Glibc
import LatchkeyTestSupport
import Testing

/// `latchkey unlock --credential`, with the directory that systemd makes for a service with `LoadCredential=`.
@Suite("Unlocking with a credential of a service")
struct CredentialTests {
    private let credentials: TemporaryDirectory

    init() throws {
        credentials = try TemporaryDirectory()
    }

    private func unlock(
        _ socket: String, _ credential: String, _ program: String, directory: String? = nil, _ options: [String] = []
    ) throws -> Ending {
        try run(
            URL(filePath: program), ["unlock", "--credential", credential] + options,
            environment: ["LATCHKEY_DEVICE": "unix:" + socket, "CREDENTIALS_DIRECTORY": directory ?? credentials.path])
    }

    @Test(
        "root's service unlocks an owner's device after a restart; the owner's programs have nothing to do with it",
        .needsRoot(to: "run processes as several users"))
    func systemDevice() throws {
        let system = try SystemLayout()
        try #require(try system("passcode set", as: 0, input: "246810\n").status == 0)
        try #require(try system("add-generic-password -s s", as: system.owner, input: "secret").status == 0)
        try #require(try system("lock --now", as: system.owner).status == 0)
        try credentials.file("latchkey-passcode", Array("246810".utf8))
        let tool = system.program("latchkey")
        let ending = try unlock(system.keychainSocket, "latchkey-passcode", tool)
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(try system("find-generic-password -s s -w", as: system.owner).output == "secret\n")
    }

    @Test("one line is the passcode; a wrong one is refused and counted like any other")
    func passcodes() throws {
        let device = try ThrowawayDevice.unlocked()
        try #require(try device("lock --now").status == 0)
        let socket = device.directory + "/run/keychain.sock"
        let tool = try Installation.program("latchkey").path
        try credentials.file("wrong", Array("135790\n".utf8))
        let wrong = try unlock(socket, "wrong", tool)
        #expect(wrong.status == 20 && wrong.errors.contains("tries are left"), "\(wrong.status) \(wrong.errors)")
        try credentials.file("right", Array("246810\r\nsecond line\n".utf8))
        #expect(try unlock(socket, "right", tool).status == 0)
        #expect(try device.lockState() == "unlocked")
    }

    @Test(
        "what is not a credential of the service is refused without its name, and nothing is tried",
        arguments: ["246810", "../secret", "", ".", "folder", "link", "pipe"])
    func refused(_ name: String) throws {
        let device = try ThrowawayDevice.unlocked()
        try #require(try device("lock --now").status == 0)
        try FileManager.default.createDirectory(atPath: credentials.path("folder"), withIntermediateDirectories: true)
        try credentials.file("file", Array("246810".utf8))
        try #require(symlink("file", credentials.path("link")) == 0)
        try #require(mkfifo(credentials.path("pipe"), 0o600) == 0)
        let tool = try Installation.program("latchkey").path
        let ending = try unlock(device.directory + "/run/keychain.sock", name, tool)
        #expect(ending.status == 31, "\(ending.errors)")
        #expect(!ending.errors.contains("246810") && !ending.errors.contains("secret"), "\(ending.errors)")
        #expect(try device.lockState() == "locked")
    }

    @Test("outside of a service it says what is missing; beside another way to unlock it is refused")
    func outside() throws {
        let device = try ThrowawayDevice.unlocked()
        let socket = device.directory + "/run/keychain.sock"
        let tool = try Installation.program("latchkey").path
        let ending = try unlock(socket, "latchkey-passcode", tool, directory: "relative")
        #expect(ending.status == 31, "\(ending.errors)")
        let unset = try run(
            URL(filePath: "/usr/bin/env"),
            ["-u", "CREDENTIALS_DIRECTORY", tool, "unlock", "--credential", "x", "--device", device.directory])
        #expect(unset.status == 31 && unset.errors.contains("LoadCredentialEncrypted="), "\(unset.errors)")
        for option in [["--finger"], ["--passcode-fd", "0"]] {
            #expect(try unlock(socket, "x", tool, option).status == 64)
        }
    }
}
