import Foundation

/// Three members of an etcd cluster on the loopback interface: Debian's program, with its own times and its data on the scratch disk.
final class EtcdNodes {
    private static let clientPort: UInt16 = 2379

    /// Addresses that no other server has: the network 127.0.0.0/8 is this machine's.
    let hosts: [String]
    private let directory: String
    private var processes: [Process] = []

    init(in scratch: String) throws {
        let network = "127.\(UInt8.random(in: 1...254)).\(UInt8.random(in: 0...254))"
        hosts = (1...3).map { "\(network).\($0)" }
        directory = scratch + "/etcd-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        do {
            for place in hosts.indices { processes.append(try start(place)) }
            try awaitLeader()
        } catch {
            stop()
            throw error
        }
    }

    /// The value of `--store`, with the members in another order for each first one.
    func store(first: Int) -> String {
        let urls = hosts.indices.map { "http://\(hosts[(first + $0) % hosts.count]):\(Self.clientPort)" }
        return "etcd:" + urls.joined(separator: ",")
    }

    func conversation(with place: Int) throws -> EtcdConversation {
        try EtcdConversation(host: hosts[place], port: Self.clientPort)
    }

    private func start(_ place: Int) throws -> Process {
        let (client, peer) = ("http://\(hosts[place]):\(Self.clientPort)", "http://\(hosts[place]):2380")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try Programs.path(of: "etcd"))
        process.arguments = [
            "--name", "n\(place)", "--data-dir", "\(directory)/n\(place)", "--listen-client-urls", client,
            "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
            "--initial-cluster", hosts.enumerated().map { "n\($0)=http://\($1):2380" }.joined(separator: ","),
        ]
        // etcd takes options from its environment.
        process.environment = ["PATH": "/usr/bin:/bin"]
        let log = directory + "/n\(place).log"
        try Data().write(to: URL(fileURLWithPath: log))
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle(forWritingAtPath: log)
        try process.run()
        return process
    }

    private func awaitLeader() throws {
        for _ in 0..<2_000 {
            if processes.contains(where: { !$0.isRunning }) { throw Failure("etcd ended; see \(directory)") }
            let answers = hosts.indices.map { try? conversation(with: $0).put("bench/start", [1]) }
            if !answers.contains(where: { $0 == nil }) { return }
            usleep(20_000)
        }
        throw Failure("etcd has no leader")
    }

    func stop() {
        for process in processes {
            process.terminate()
            process.waitUntilExit()
        }
        processes = []
        try? FileManager.default.removeItem(atPath: directory)
    }
}
