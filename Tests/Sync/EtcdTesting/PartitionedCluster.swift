import Foundation
import LatchkeyTestSupport
import Synchronization

/// Three members of etcd, each in a network of its own, with a bridge between them that can be left.
package final class PartitionedCluster: Sendable {
    package let servers: [EtcdServer]
    private let hub: NetworkSpace
    private let spaces: [NetworkSpace]
    private let doors = Mutex<[[Int]: NetworkDoor]>([:])

    package init() throws {
        let hub = try NetworkSpace()
        try hub.addBridge()
        self.hub = hub
        spaces = try (0..<3).map { place in
            let space = try NetworkSpace(beside: hub)
            try hub.connect(space, name: Self.name(place), address: Self.host(place))
            return space
        }
        servers = try spaces.enumerated().map { place, space in
            try EtcdServer("n\(place)", host: Self.host(place), command: space.command)
        }
        for server in servers { try server.begin(servers) }
        for server in servers { try server.awaitReady() }
    }

    deinit { for server in servers { server.kill() } }

    private static func name(_ place: Int) -> String { "m\(place)" }
    private static func host(_ place: Int) -> String { "10.0.0.\(place + 1)" }

    /// The value of `--store` for a client in the network of a member, which asks that member first.
    package func store(beside place: Int) throws -> String {
        let others = servers.indices.filter { $0 != place }
        return "etcd:" + (try ([place] + others).map { try url(of: $0, from: place) }).joined(separator: ",")
    }

    /// The same for a client that knows no other member.
    package func store(ofMemberAlone place: Int) throws -> String { "etcd:" + (try url(of: place, from: place)) }

    private func url(of member: Int, from place: Int) throws -> String {
        try doors.withLock { doors in
            if let door = doors[[place, member]] { return door.url }
            let door = try NetworkDoor(into: spaces[place], host: Self.host(member), port: EtcdServer.clientPort)
            doors[[place, member]] = door
            return door.url
        }
    }

    /// Leaves a member, and the clients beside it, without the others.
    package func cut(_ place: Int) throws { try hub.cut(Self.name(place)) }
    package func heal(_ place: Int) throws { try hub.heal(Self.name(place)) }

    /// The number of ranges that clients of a member watch.
    package func watchers(at place: Int) throws -> Int? {
        let script = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())"
        let words = ["/usr/bin/python3", "-c", script, servers[place].clientURL + "/metrics"]
        let outcome = try Program.run(spaces[place].command + words)
        return String(decoding: outcome.output, as: UTF8.self)
            .firstMatch(of: /\netcd_debugging_mvcc_watcher_total (\d+)\n/).flatMap { Int($0.output.1) }
    }

    /// The place of the member that leads. Nil while there is an election.
    package func leader() throws -> Int? {
        let leader = try servers.leader()
        return servers.firstIndex { $0 === leader }
    }
}
