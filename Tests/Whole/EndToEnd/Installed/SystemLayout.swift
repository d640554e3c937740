import Foundation
import Glibc
import Testing

/// A system installation in a directory of its own: daemon, enclave and owner are users without an account, the sockets
/// are opened by root and passed, like by the units. Needs root.
final class SystemLayout {
    let root: String
    let daemonUser: UInt32
    let enclaveUser: UInt32
    let transportUser: UInt32
    let owner: UInt32
    let stranger: UInt32
    private(set) var daemon: PassedProgram?
    private(set) var enclave: PassedProgram?
    private var sockets: [OpenedSocket] = []

    init() throws {
        try #require(
            FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv"),
            "needs setpriv: apt-get install util-linux")
        var template = Array("/tmp/lk-system.XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        root = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        // Numbers beyond those of real users, and others for each layout: tests run at the same time.
        let first = 700_000 + UInt32.random(in: 0..<100_000) * 10
        (daemonUser, enclaveUser, owner, stranger, transportUser) = (first, first + 1, first + 2, first + 3, first + 4)
        try directory("", 0, 0o755)
        for path in ["/run/latchkey/\(owner)", "/var/lib/latchkey", "/var/lib/latchkey-enclave", "/usr/lib/latchkey"] {
            try directory(path, 0, 0o755)
        }
        try directory("/var/lib/latchkey/\(owner)", daemonUser, 0o700)
        try directory("/var/lib/latchkey-enclave/\(owner)", enclaveUser, 0o700)
        for name in ["latchkey", "latchkeyd", "latchkey-enclave", "latchkey-transport"] {
            let target = program(name)
            // By another process: one that another test starts would inherit a file that is being written, and could
            // keep it from being run.
            let copied = try Installation.run(
                URL(filePath: "/usr/bin/install"),
                ["-o", "root", "-g", "root", "-m", "755", try Installation.program(name).path, target])
            try #require(copied.status == 0, "\(copied.errors)")
        }
        try start()
    }

    deinit {
        daemon?.stop()
        enclave?.stop()
        try? FileManager.default.removeItem(atPath: root)
    }

    /// Ends the enclave and closes its socket: no process will start it again.
    func loseEnclave() {
        enclave?.stop()
        sockets.removeLast()
    }

    var keychainSocket: String { root + "/run/latchkey/\(owner)/keychain.sock" }
    var enclaveSocket: String { root + "/run/latchkey/\(owner)/enclave.sock" }
    var transportSocket: String { root + "/run/latchkey/\(owner)/transport.sock" }
    var device: String { root + "/var/lib/latchkey/\(owner)" }
    var storage: String { root + "/var/lib/latchkey-enclave/\(owner)" }

    func program(_ name: String) -> String { root + "/usr/lib/latchkey/" + name }

    /// Runs `latchkey` as a user, on the device of the layout.
    func callAsFunction(_ line: String, as user: UInt32, input: String = "") throws -> Ending {
        try latchkey(line, at: keychainSocket, as: user, input: input, program: program("latchkey"))
    }

    /// Runs any program as a user.
    func run(_ words: [String], as user: UInt32) throws -> Ending {
        try Installation.run(
            URL(filePath: "/usr/bin/setpriv"),
            ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", "--inh-caps=-all"] + words)
    }

    private func start() throws {
        let keychain = try OpenedSocket(keychainSocket, owner: owner)
        let toEnclave = try OpenedSocket(enclaveSocket, owner: daemonUser)
        sockets = [keychain, toEnclave]
        enclave = try PassedProgram(
            program("latchkey-enclave"),
            ["--storage", storage, "--client", String(daemonUser), "--test-only-passcode-cost", "4"],
            descriptor: toEnclave.descriptor, name: "enclave", as: .init(identifier: enclaveUser))
        daemon = try PassedProgram(
            program("latchkeyd"),
            [
                "--device", device, "--enclave-socket", enclaveSocket, "--transport-socket", transportSocket, "--owner",
                String(owner),
            ],
            descriptor: keychain.descriptor, name: "keychain",
            as: .init(identifier: daemonUser, capability: "sys_ptrace"))
    }

    /// Makes a directory of a user, below the root.
    func directory(_ path: String, _ user: UInt32, _ mode: mode_t) throws {
        // Each part of the path, because others must be able to pass through.
        var whole = root
        for part in path.split(separator: "/") {
            whole += "/" + part
            if mkdir(whole, 0o755) != 0 { try #require(errno == EEXIST) }
            try #require(chmod(whole, 0o755) == 0)
        }
        try #require(chown(whole, user, user) == 0 && chmod(whole, mode) == 0)
    }
}

extension Installation {
    /// Under a name that a method called `run` does not hide.
    static func run(_ program: URL, _ arguments: [String]) throws -> Ending {
        try EndToEnd.run(program, arguments)
    }
}
