import Foundation
import Glibc
package import LatchkeyTestSupport

/// A member of an etcd cluster: Debian's program, with a directory and an address of its own on the loopback interface.
package final class EtcdServer: @unchecked Sendable {
    // Sendable because the process is used under the lock alone.
    package static let program = "/usr/bin/etcd"

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
    private let lock = NSLock()
    private var process: Process?

    package init(_ name: String = "one", host: String = EtcdServer.newHost(), encryption: Encryption? = nil) throws {
        self.name = name
        self.host = host
        self.encryption = encryption
        directory = try TemporaryDirectory()
    }

    deinit { kill() }

    package static func newHost() -> String {
        let parts = (0..<3).map { _ in String(UInt8.random(in: 1...254)) }
        return "127." + parts.joined(separator: ".")
    }

    package var clientURL: String { "\(encryption == nil ? "http" : "https")://\(host):2379" }
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
        process.executableURL = URL(fileURLWithPath: Self.program)
        let cluster = (members.isEmpty ? [self] : members).map { "\($0.name)=\($0.peerURL)" }.joined(separator: ",")
        process.arguments =
            [
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
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(number) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(2379).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(number, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
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
