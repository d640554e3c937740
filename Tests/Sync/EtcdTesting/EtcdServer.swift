import Foundation
import Glibc
package import LatchkeyTestSupport

/// A member of an etcd cluster: Debian's program, with a directory and an address of its own on the loopback interface.
package final class EtcdServer: @unchecked Sendable {
    // Sendable because the process is used under the lock alone.
    package static let program = "/usr/bin/etcd"
    static let clientPort: UInt16 = 2379

    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// Certificates for the clients' side, as paths.
    package struct Encryption: Sendable {
        package let certificate: String
        package let key: String
        /// The authority of clients; nil if they need no certificate.
        package let clientAuthority: String?

        package init(certificate: String, key: String, clientAuthority: String? = nil) {
            self.certificate = certificate
            self.key = key
            self.clientAuthority = clientAuthority
        }
    }

    package let name: String
    /// An address that no other server has: the network 127.0.0.0/8 is this machine's.
    package let host: String
    package let directory: TemporaryDirectory
    private let encryption: Encryption?
    /// The command in front of the program that enters another network.
    private let command: [String]
    private let lock = NSLock()
    private var process: Process?

    /// - Parameter command: a command in front of the program; empty for a server in the network of the tests.
    package init(
        _ name: String = "one", host: String = EtcdServer.newHost(), encryption: Encryption? = nil,
        command: [String] = []
    ) throws {
        self.name = name
        self.host = host
        self.encryption = encryption
        self.command = command
        directory = try TemporaryDirectory()
    }

    deinit { kill() }

    package static func newHost() -> String {
        let parts = (0..<3).map { _ in String(UInt8.random(in: 1...254)) }
        return "127." + parts.joined(separator: ".")
    }

    package var clientURL: String { "\(encryption == nil ? "http" : "https")://\(host):\(Self.clientPort)" }
    package var peerURL: String { "http://\(host):2380" }
    package var data: String { directory.path("data") }

    /// Everything that the server said so far.
    package var log: String {
        String(decoding: FileManager.default.contents(atPath: directory.path("log")) ?? Data(), as: UTF8.self)
    }

    /// Starts the process; it may not serve yet.
    ///
    /// - Parameter members: of the cluster, this one among them.
    package func begin(_ members: [EtcdServer] = [], _ options: [String] = []) throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw Failure(description: "etcd is missing (apt-get install etcd-server etcd-client)")
        }
        let process = Process()
        let command = command + [Self.program]
        process.executableURL = URL(fileURLWithPath: command[0])
        let cluster = (members.isEmpty ? [self] : members).map { "\($0.name)=\($0.peerURL)" }.joined(separator: ",")
        process.arguments =
            command.dropFirst() + [
                "--name", name, "--data-dir", data, "--listen-client-urls", clientURL, "--advertise-client-urls",
                clientURL, "--listen-peer-urls", peerURL, "--initial-advertise-peer-urls", peerURL,
                "--initial-cluster", cluster, "--heartbeat-interval", "50", "--election-timeout", "500",
            ] + encryptionOptions + options
        // Nothing of the tests' environment: etcd takes options from it, too.
        process.environment = ["PATH": "/usr/bin:/bin"]
        try directory.file("log", [])
        let log = try FileHandle(forWritingTo: URL(fileURLWithPath: directory.path("log")))
        (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, log, log)
        try process.run()
        lock.withLock { self.process = process }
    }

    private var encryptionOptions: [String] {
        guard let encryption else { return [] }
        let own = ["--cert-file", encryption.certificate, "--key-file", encryption.key]
        guard let authority = encryption.clientAuthority else { return own }
        return own + ["--client-cert-auth", "--trusted-ca-file", authority]
    }

    /// Returns when the server answers clients.
    package func awaitReady() throws {
        eventually { log.contains("ready to serve client requests") || log.contains("serving client") || !isRunning }
        eventually { !isRunning || isListening }
        guard isRunning else { throw Failure(description: "etcd ended: \(log.suffix(2_000))") }
    }

    package func start(_ members: [EtcdServer] = [], _ options: [String] = []) throws {
        try begin(members, options)
        try awaitReady()
    }

    package var isRunning: Bool { lock.withLock { process?.isRunning ?? false } }

    private var isListening: Bool {
        guard command.isEmpty else { return (try? status()) != nil }
        guard let connection = IPv4Address(host, Self.clientPort).connected() else { return false }
        close(connection)
        return true
    }

    /// The status as etcdctl tells it. Nil if the server does not answer.
    func status() throws -> [String: Any]? {
        let words = ["etcdctl", "--endpoints", clientURL, "endpoint", "status", "-w", "json"]
        let outcome = try Program.run(command + words, environment: ["ETCDCTL_API": "3"])
        let answers = try? JSONSerialization.jsonObject(with: Data(outcome.output)) as? [[String: Any]]
        return answers?.first?["Status"] as? [String: Any]
    }

    /// Ends the process as a loss of power would end it for the others.
    package func kill() { signal(SIGKILL, waits: true) }
    /// Ends it in order.
    package func stop() { signal(SIGTERM, waits: true) }
    package func freeze() { signal(SIGSTOP, waits: false) }
    package func thaw() { signal(SIGCONT, waits: false) }

    private func signal(_ number: Int32, waits: Bool) {
        lock.withLock {
            guard let process, process.isRunning else { return }
            _ = Glibc.kill(process.processIdentifier, number)
            if waits {
                process.waitUntilExit()
                self.process = nil
            }
        }
    }
}
