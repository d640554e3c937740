import CLatchkeyShims
import Foundation
import Glibc
import LatchkeyCodeSignature
import LatchkeyDevice
import LatchkeyKeychainMessages
import LatchkeySecretMemory
import Testing

/// A device whose daemon runs as root and serves a user of no privileges, as on a system installation: the daemon sees
/// programs that their own user cannot look into. Needs root.
final class ProtectedStage {
    /// Users and groups need no entry anywhere; no other user has these numbers.
    static let user: UInt32 = 54_321
    static let trustedGroup: UInt32 = 54_322

    let directory: String
    let launcher: String
    let key = TeamKey.generate()
    private var processes: [Process] = []
    private var daemon: Int32 = 0

    init() throws {
        let place = try #require(
            ["/tmp", "/var/tmp"].first(where: Self.setsGroups),
            "needs a /tmp or a /var/tmp where setgid has effect (mounted without nosuid)")
        var template = Array("\(place)/latchkey-protected.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        try #require(chmod(directory, 0o755) == 0)
        launcher = directory + "/launcher"
        try AttackProgram.copy(to: launcher)
        let device = DeviceDirectory(path: directory + "/device")
        try device.prepare()
        try start(
            try Installation.program("latchkey-enclave").path,
            ["--storage", device.enclave, "--socket", device.enclaveSocket, "--test-only-passcode-cost", "1"])
        while !FileManager.default.fileExists(atPath: device.enclaveSocket) { usleep(1_000) }
        try start(
            launcher,
            [
                "serve", socket, try Installation.program("latchkeyd").path, "--device", device.path, "--owner",
                "\(Self.user)", "--enclave-socket", device.enclaveSocket, "--trusted-group", "\(Self.trustedGroup)",
            ])
        daemon = try #require(processes.last).processIdentifier
        // The file is there before anybody listens.
        var probe = lk_socket_connect(socket)
        while probe < 0, processes.last?.isRunning == true {
            usleep(1_000)
            probe = lk_socket_connect(socket)
        }
        close(probe)
        try RemoteKeychain(socketPath: socket).ask(
            TrustTeam(key: key.publicKey, name: "a team", expires: nil, passcode: nil))
    }

    /// True if programs in the directory may be setgid.
    private static func setsGroups(_ directory: String) -> Bool {
        var mount = statvfs()
        return statvfs(directory, &mount) == 0 && mount.f_flag & UInt(ST_NOSUID) == 0
    }

    deinit {
        for process in processes.reversed() {
            // Not a signal that the process may have inherited as blocked.
            if process.isRunning { kill(process.processIdentifier, SIGKILL) }
            process.waitUntilExit()
        }
        try? FileManager.default.removeItem(atPath: directory)
    }

    var socket: String { directory + "/keychain.sock" }
    var group: String { key.publicKey.identifier.text + ".shared" }

    private func start(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        processes.append(process)
    }

    /// A program without a signature.
    func unsignedProgram(_ name: String) throws -> String {
        let path = directory + "/" + name
        try AttackProgram.copy(to: path)
        return path
    }

    /// A signed program; a protected one is setgid, of root, in the group of trusted programs.
    func program(_ name: String, isProtected: Bool, minimumLevel: AssuranceLevel? = nil) throws -> String {
        let path = directory + "/" + name
        try AttackProgram.copy(to: path)
        try AttackProgram.sign(path, by: key, minimumLevel: minimumLevel)
        if isProtected {
            try #require(chown(path, 0, Self.trustedGroup) == 0 && chmod(path, 0o2755) == 0)
        }
        return path
    }

    /// Runs a command of root on the device.
    @discardableResult
    func ask<Question: DeviceQuestion>(_ question: Question) throws(DeviceRefusal) -> Question.Answer {
        try RemoteKeychain(socketPath: socket).ask(question)
    }

    func frame(_ name: String, _ request: ItemRequest) throws -> String {
        try frame(name, MessageCoding.encode(request))
    }

    func frame(_ name: String, _ message: WireMessage) throws -> String {
        let path = directory + "/" + name + ".frame"
        try Conversation.frame(message).write(to: URL(filePath: path))
        try #require(chmod(path, 0o644) == 0)
        return path
    }

    /// Runs a program as the unprivileged user.
    func run(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws -> Ending {
        try EndToEnd.run(
            URL(filePath: launcher), ["as", "\(Self.user)", program] + arguments, environment: environment)
    }

    /// Starts a program as the unprivileged user, to go on beside the test.
    func waiting(_ program: String, _ arguments: [String]) throws -> WaitingProgram {
        try WaitingProgram(launcher, ["as", "\(Self.user)", program] + arguments)
    }

    /// The daemon stands still while `body` runs.
    func whileDaemonStands<R>(_ body: () throws -> R) throws -> R {
        try StandingProcess.run(daemon, body)
    }

    /// Starts a program as the unprivileged user; it does nothing until it is killed.
    func resting(_ program: String) throws -> Int32 {
        try start(launcher, ["as", "\(Self.user)", program, "rest"])
        let identifier = try #require(processes.last).processIdentifier
        let link = "/proc/\(identifier)/exe"
        while (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != program { usleep(1_000) }
        return identifier
    }
}
