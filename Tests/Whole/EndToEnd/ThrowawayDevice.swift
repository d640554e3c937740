import Foundation
import Glibc
import LatchkeyCryptoSuite
import LatchkeyDevice
import LatchkeyKeybag
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

/// A device in a directory of its own, used through the command line like a person would. Gone when the test is.
final class ThrowawayDevice: Sendable {
    let directory: String
    private let latchkey: URL
    private let environment: [String: String]

    /// - Parameter environment: of all programs of the device.
    init(environment: [String: String] = [:]) throws {
        self.environment = environment
        latchkey = try Installation.program("latchkey")
        _ = try Installation.program("latchkeyd")
        _ = try Installation.program("latchkey-enclave")
        var template = Array("/tmp/latchkey-end-to-end.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit {
        _ = try? self("stop")
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Runs `latchkey` with arguments separated by blanks, on this device.
    @discardableResult
    func callAsFunction(_ line: String, input: String = "") throws -> Ending {
        try self(line.split(separator: " ").map(String.init), input: input)
    }

    @discardableResult
    func callAsFunction(_ arguments: [String], input: String = "") throws -> Ending {
        try run(latchkey, arguments + ["--device", directory], input: Data(input.utf8), environment: environment)
    }

    /// Started, with the passcode 246810 and unlocked. A passcode costs next to nothing there.
    static func unlocked(environment: [String: String] = [:]) throws -> ThrowawayDevice {
        let device = try ThrowawayDevice(environment: environment)
        let started = try device("start --test-only-passcode-cost 4")
        try #require(started.status == 0, "\(started.errors)")
        try #require(try device("passcode set", input: "246810\n").status == 0)
        return device
    }

    /// Sets the password of backups as `latchkey backup password set` does, but for the ten million rounds of its key:
    /// they take seconds, here and whenever the password is given.
    func setBackupPassword(_ password: String, passcode: String = "246810") throws {
        let parameters = BackupPasswordParameters.encrypted(firstIterations: 10, entropy: SystemEntropy())
        let key = try parameters.passcodeKey(for: SecretBox(copying: Array(password.utf8)))
        try RemoteKeychain(socketPath: directory + "/run/keychain.sock").ask(
            SetBackupPassword(
                current: nil, new: BackupPassword(parameters, key: key),
                passcode: SecretBox(copying: Array(passcode.utf8))))
    }

    func lockState() throws -> String? {
        try self("status --json").json()["lockState"] as? String
    }

    func processIdentifier(_ name: String) throws -> Int32 {
        let text = try String(contentsOfFile: "\(directory)/run/\(name).pid", encoding: .utf8)
        return try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
    }

    /// Kills a process of the device for good; returns when it is gone.
    func kill(_ name: String) throws {
        let identifier = try processIdentifier(name)
        try #require(Glibc.kill(identifier, SIGKILL) == 0)
        while Glibc.kill(identifier, 0) == 0, !Self.isZombie(identifier) { usleep(1_000) }
    }

    /// Processes that name this device's directory in their arguments.
    func processes() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
            guard Int32(entry) != nil, let line = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline") else {
                return false
            }
            return line.range(of: Data(directory.utf8)) != nil
        }
    }

    /// True if all that is left of a process is its ending. Its first thread may be a zombie while others still have
    /// its files and its sockets open.
    static func isZombie(_ identifier: Int32) -> Bool {
        let threads = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(identifier)/task")
        guard threads?.count ?? 0 <= 1 else { return false }
        guard let text = try? String(contentsOfFile: "/proc/\(identifier)/stat", encoding: .utf8),
            let end = text.lastIndex(of: ")")
        else { return true }
        return text[end...].dropFirst(2).first == "Z"
    }
}
