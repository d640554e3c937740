import Foundation
import LatchkeyTestSupport

/// Members of etcd on this machine, and the command for their administrator.
package final class EtcdCluster: Sendable {
    package let servers: [EtcdServer]
    private let options: [String]

    /// Starts a cluster, and returns when every member serves.
    package convenience init(members: Int = 1, _ options: String...) throws {
        try self.init((0..<members).map { try EtcdServer("n\($0)") }, options)
    }

    /// Starts a server that was made for it.
    package convenience init(_ server: EtcdServer, _ options: [String] = []) throws {
        try self.init([server], options)
    }

    private init(_ servers: [EtcdServer], _ options: [String]) throws {
        self.options = options
        self.servers = servers
        for server in servers { try server.begin(servers, options) }
        for server in servers { try server.awaitReady() }
    }

    deinit { for server in servers { server.kill() } }

    package var urls: [String] { servers.map(\.clientURL) }

    /// The value of `--store`.
    package var store: String { "etcd:" + urls.joined(separator: ",") }

    package func restart(_ server: EtcdServer) throws { try server.start(servers, options) }

    /// Sets a server, the only one of its cluster, back to a snapshot, as its administrator does after a loss.
    ///
    /// - Parameter copy: a file that `etcdctl snapshot save` has written.
    package func restore(_ server: EtcdServer, from copy: String) throws {
        server.stop()
        try FileManager.default.moveItem(atPath: server.data, toPath: server.data + "-old")
        try control(
            "snapshot", "restore", copy, "--name", server.name, "--data-dir", server.data, "--initial-cluster",
            "\(server.name)=\(server.peerURL)", "--initial-advertise-peer-urls", server.peerURL)
        try restart(server)
    }

    /// Runs etcdctl, and returns what it says.
    @discardableResult
    package func control(_ words: String..., input: [UInt8] = []) throws -> String {
        try control(words, input: input)
    }

    @discardableResult
    package func control(_ words: [String], input: [UInt8] = []) throws -> String {
        let outcome = try Program.run(
            ["etcdctl", "--endpoints", urls.joined(separator: ","), "--dial-timeout", "10s"] + words, input: input,
            environment: ["ETCDCTL_API": "3"])
        guard outcome.status == 0 else {
            throw EtcdServer.Failure(
                description: outcome.status == 127
                    ? "etcdctl is missing (apt-get install etcd-client)" : "etcdctl \(words): \(outcome.complaints)")
        }
        return String(decoding: outcome.output, as: UTF8.self)
    }

    /// Puts any bytes under a key.
    package func put(_ bytes: [UInt8], at key: String) throws {
        // The command takes no empty input.
        try control(["put", key] + (bytes.isEmpty ? [""] : []), input: bytes)
    }

    /// The member that leads. Nil while there is an election.
    package func leader() throws -> EtcdServer? { try servers.leader() }
}

extension [EtcdServer] {
    /// The member that leads. Nil while there is an election.
    func leader() throws -> EtcdServer? {
        for server in self {
            guard let status = try server.status(), let header = status["header"] as? [String: Any],
                let leader = status["leader"] as? NSNumber, let own = header["member_id"] as? NSNumber
            else { continue }
            if leader == own { return server }
        }
        return nil
    }
}
